import type { Section } from "./examine";
import type { Finding } from "./finding";

const MARKS: Readonly<Record<Finding["state"], string>> = {
  fine: "✓",
  wrong: "✗",
  "by hand": "?",
};
/** Variables whose values are never shown, even when a service repeats them to us. */
const SECRET_NAMES = /(?:SECRET|TOKEN|_KEY)/;

function describe(finding: Finding): string[] {
  const first = `  ${MARKS[finding.state]} ${finding.what}`;
  switch (finding.state) {
    case "fine":
      return [first];
    case "wrong":
      return [first, `      Effect: ${finding.effect}`, `      Fix:    ${finding.fix}`];
    case "by hand":
      return [first, `      Check:  ${finding.where}`];
  }
}

/** A text without the values of secrets, among them the password in the mail server's address. */
function withoutSecrets(text: string, source: Record<string, string | undefined>): string {
  const smtpUrl = source["SMTP_URL"] ?? "";
  const password = URL.canParse(smtpUrl) ? new URL(smtpUrl).password : "";
  const written = unescapeUrl(password);
  const secrets = Object.keys(source)
    .filter((name) => SECRET_NAMES.test(name))
    .flatMap((name) => source[name] ?? [])
    .concat(password, written)
    .filter((secret) => secret.length >= 6);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
}

function unescapeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const count = (number: number, one: string, many: string) =>
  number === 1 ? `One ${one}` : `${number} ${many}`;

/** The report as people read it, and whether something is wrong. */
export function writeReport(
  sections: readonly Section[],
  source: Record<string, string | undefined>,
): { text: string; isWell: boolean } {
  const findings = sections.flatMap((section) => section.findings);
  const wrong = findings.filter(({ state }) => state === "wrong").length;
  const open = findings.filter(({ state }) => state === "by hand").length;
  const summary = [
    wrong === 0 ? "Nothing is wrong." : `${count(wrong, "thing is", "things are")} wrong (✗).`,
    open === 0 ? "" : ` ${count(open, "thing has", "things have")} to be checked by hand (?).`,
  ].join("");
  const lines = sections.flatMap((section) => [
    section.title,
    ...section.findings.flatMap(describe),
    "",
  ]);
  return { text: withoutSecrets([...lines, summary].join("\n"), source), isWell: wrong === 0 };
}
