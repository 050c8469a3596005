/**
 * `npm run doctor`: reads the configuration, asks the services that it names, and changes nothing. Each
 * line says that something is fine, or what is wrong, what it means for users, and what fixes it. With
 * `npm run doctor -- --email you@example.org` it sends a test email to that address. Exits with 1 when
 * something is wrong.
 */
import "./app-environment.mjs";

import { parseArgs } from "node:util";

import { examine } from "./doctor/examine";
import { readMachine } from "./doctor/machine";
import { writeReport } from "./doctor/report";

const USAGE = "npm run doctor [-- --email you@example.org]";

function readEmail(): string | null {
  const { values } = parseArgs({ options: { email: { type: "string" } } });
  const { email } = values;
  if (email !== undefined && !/^[^\s@<>,]+@[^\s@<>,]+$/.test(email))
    throw new Error(`--email is not an email address: ${email}`);
  return email ?? null;
}

function readArguments(): string | null {
  try {
    return readEmail();
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const emailTo = readArguments();
const sections = await examine(process.env, { emailTo, machine: await readMachine() });
const { text, isWell } = writeReport(sections, process.env);
// Without waiting for connections that no one answers.
process.stdout.write(`${text}\n`, () => process.exit(isWell ? 0 : 1));
