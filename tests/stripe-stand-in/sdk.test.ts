/**
 * A second opinion about every request that our code makes. The stand-in refuses a request with any
 * other name or value than its own tables have; here these tables, and the calls in our code, are
 * compared with the SDK, which Stripe generates for this version of its API.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import SDK from "stripe";
import type ts from "typescript";
import { describe, expect, it } from "vitest";

import { ENDPOINTS } from "../../local/stripe/api";
import type { Parameter, Parameters } from "../../local/stripe/parameters";
import { ParameterTypes, readOperations } from "./types";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const operations = readOperations();
const types = new ParameterTypes(ENDPOINTS.flatMap(({ route }) => operations.get(route) ?? []));

/** How the parameters of an operation differ from the SDK's; empty when they do not. */
function differences(parameters: Parameters, given: ts.Type[], parent = ""): string[] {
  const missing = types
    .requiredFields(given)
    .filter((name) => !parameters[name]?.required)
    .map((name) => `${parent}${name}: the SDK requires it, and the stand-in does not`);
  const others = Object.entries(parameters).flatMap(([name, parameter]) => {
    const field = types.field(given, name);
    if (field.length === 0) return [`${parent}${name}: the SDK has no such parameter`];
    return differencesOf(parameter, field, `${parent}${name}`);
  });
  return [...missing, ...others];
}

function differencesOf(parameter: Parameter<unknown>, field: ts.Type[], name: string): string[] {
  if (parameter.fields) return differences(parameter.fields, field, `${name}.`);
  if (parameter.item) {
    const items = types.items(field);
    return items.length > 0
      ? differencesOf(parameter.item, items, `${name}[]`)
      : [`${name}: the SDK has no list here`];
  }
  if (!parameter.kind) return [];
  if (!types.takes(field, parameter.kind)) return [`${name}: the SDK takes no ${parameter.kind}`];
  // (Of a time that the SDK has names for as well, the stand-in takes the number alone.)
  const literals = parameter.kind === "number" ? [] : types.literals(field);
  if (literals.length === 0) return [];
  if (!parameter.values) return [`${name}: the SDK names its values, and the stand-in takes any`];
  return parameter.values
    .filter((value) => !literals.includes(value))
    .map((value) => `${name}: the SDK does not name the value ${value}`);
}

/** The SDK's own request for a call in our code: `checkout.sessions.retrieve`. */
async function requestOf(call: string): Promise<string> {
  let request = "";
  const httpClient = SDK.createFetchHttpClient(
    async (input: RequestInfo | URL, init?: RequestInit) => {
      request = `${init?.method} ${new URL(input as string).pathname}`;
      return Response.json({ object: "list", data: [] });
    },
  );
  const sdk = new SDK("sk_test_1", { httpClient, telemetry: false, maxNetworkRetries: 0 });
  const path = call.split(".");
  const method = path.pop()!;
  const resource = path.reduce<Record<string, unknown>>(
    (inner, name) => inner[name] as Record<string, unknown>,
    sdk as unknown as Record<string, unknown>,
  );
  const work = resource[method] as (...given: unknown[]) => Promise<unknown>;
  // A method takes the ids in its path, then parameters and options.
  await work.apply(resource, [...Array<string>(work.length - 2).fill("an-id"), {}]);
  return request.replaceAll("an-id", ":id");
}

/** Every call of Stripe's API in our code. */
function callsInOurCode(): string[] {
  const sources = ["app", "scripts", "local/stripe"].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(`${ROOT}${folder}/${name}`, "utf8")),
  );
  const calls = sources.flatMap((source) =>
    [...source.matchAll(/\b(?:stripe\(\)|stripe|sdk)((?:\s*\.[a-zA-Z]+){2,})\(/g)].map(([, path]) =>
      path!.replace(/\s/g, "").slice(1),
    ),
  );
  return [...new Set(calls)].filter((call) => !call.startsWith("webhooks.")).sort();
}

describe("the SDK has", () => {
  it("as many operations as it should, or this test would compare nothing", () => {
    expect(operations.size).toBeGreaterThan(400);
    expect(ENDPOINTS.length).toBeGreaterThan(40);
  });

  it.each(ENDPOINTS)("$route, with each of its names and values", ({ route, parameters }) => {
    const operation = operations.get(route);
    expect(operation, "the SDK has no such operation").toBeDefined();
    expect(differences(parameters, types.of(operation!))).toEqual([]);
  });
});

describe("the stand-in has", () => {
  const routes = new Set<string>(ENDPOINTS.map(({ route }) => route));
  const calls = callsInOurCode();

  it("more than a few calls to compare", () => {
    expect(calls.length).toBeGreaterThan(20);
    expect(calls).toContain("checkout.sessions.create");
  });

  it.each(calls)("what our code calls: %s", async (call) => {
    expect([...routes]).toContain(await requestOf(call));
  });
});
