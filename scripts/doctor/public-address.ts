import { ask, NoAnswer, type Answer } from "./ask";
import { isOnThisMachine, type Check, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

/** What the dashboard sends with every answer. The one for https is added there. */
const SECURITY_HEADERS = [
  "Content-Security-Policy",
  "Cross-Origin-Opener-Policy",
  "Referrer-Policy",
  "X-Content-Type-Options",
  "X-Frame-Options",
];
const MAX_CLOCK_DIFFERENCE_MS = 30_000;

function judgeHealth(config: Config, { status, headers, json }: Answer): Finding[] {
  const effect = "The dashboard can’t be reached at the address that its links and emails have.";
  const location = headers.get("Location");
  if (status >= 300 && status < 400)
    return [
      wrong(
        `${config.appUrl} redirects to ${location && URL.canParse(location, config.appUrl) ? new URL(location, config.appUrl).origin : "another address"}`,
        "Forms and webhooks that are sent to APP_URL don’t arrive.",
        "Set APP_URL to the address that it redirects to.",
      ),
    ];
  if ([502, 503, 504].includes(status))
    return [
      wrong(
        `${config.appUrl}/healthz answers ${status}: the proxy does not reach the dashboard`,
        effect,
        "Start it (npm start), and point the proxy to its HOST and PORT.",
      ),
    ];
  if (status !== 200 || (json as { status?: unknown } | undefined)?.status !== "ok")
    return [
      wrong(
        `${config.appUrl}/healthz answers ${status}, but that isn’t the dashboard’s answer`,
        effect,
        "Point DNS and the proxy for APP_URL to the dashboard, without a sign-in or a challenge in front of it.",
      ),
    ];
  return [fine(`${config.appUrl} leads to the dashboard`), ...judgeHeaders(config, headers)];
}

function judgeHeaders(config: Config, headers: Headers): Finding[] {
  const isHttps = config.appUrl.startsWith("https:");
  const wanted = [...SECURITY_HEADERS, ...(isHttps ? ["Strict-Transport-Security"] : [])];
  const missing = wanted.filter((name) => !headers.has(name));
  const findings = [
    missing.length > 0
      ? wrong(
          `These headers get lost on the way: ${missing.join(", ")}`,
          "Browsers don’t protect people as the dashboard means them to.",
          "Let the proxy pass the dashboard’s headers on as they are.",
        )
      : fine("The security headers arrive"),
  ];
  if (!/no-store/.test(headers.get("Cache-Control") ?? ""))
    findings.push(
      wrong(
        "The header Cache-Control: no-store gets lost on the way",
        "Pages about people may be stored, and shown to others.",
        "Let the proxy cache only /assets/, and change no Cache-Control header.",
      ),
    );
  return findings;
}

async function checkReadiness(config: Config): Promise<Finding[]> {
  const { status } = await ask(`${config.appUrl}/readyz`);
  return [
    status === 200
      ? fine("/readyz: ready")
      : wrong(
          `/readyz answers ${status}: not ready`,
          "Pages fail, and a load balancer that asks it sends no one there.",
          `The log has its reasons (“not ready”), and so has ${config.appUrl}/readyz for admins who are signed in.`,
        ),
  ];
}

/** Whether the same address answers without encryption as well. */
async function checkPlainHttp(config: Config): Promise<Finding[]> {
  const url = new URL(config.appUrl);
  if (url.protocol === "http:")
    return isOnThisMachine(config.appUrl)
      ? [fine("No HTTPS, which is fine for trying it on this machine")]
      : [
          wrong(
            "APP_URL begins with http:",
            "Passwords travel unencrypted.",
            "Put a proxy with TLS in front of the dashboard, and set APP_URL to https:",
          ),
        ];
  if (url.port) return [fine("The address is encrypted (HTTPS)")];
  // Nothing at all on that port is fine as well.
  const plain = await ask(`http://${url.host}/healthz`).catch(() => null);
  return [
    plain?.status === 200
      ? wrong(
          `http://${url.host} answers without HTTPS`,
          "Passwords of people who come that way travel unencrypted.",
          "Let the proxy redirect http: to https:",
        )
      : fine("The address is encrypted (HTTPS)"),
  ];
}

/** A proxy can be seen from outside only in part; what it sends to the dashboard, only there. */
function judgeProxy(config: Config): Finding[] {
  const readyz = `${config.appUrl}/readyz, signed in as an admin`;
  if (config.trustedIpHeader)
    return [
      byHand(
        `Visitors’ addresses are taken from ${config.trustedIpHeader}, number ${config.trustedProxies} from the end. A warning is shown when that place has none.`,
        readyz,
      ),
    ];
  // The dashboard itself speaks http alone.
  if (config.appUrl.startsWith("https:"))
    return [
      wrong(
        "TRUSTED_IP_HEADER is not set, and a proxy passes requests on (HTTPS)",
        "All visitors share one limit: one of them can keep everyone from signing in.",
        "Set it to the header in which your proxy passes the visitor’s address, such as X-Forwarded-For.",
      ),
    ];
  return [fine("No proxy is expected")];
}

function judgeClock(host: string, aheadMs: number | null): Finding[] {
  if (aheadMs === null) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const difference = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return [
    Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS
      ? wrong(
          `The clock of ${host} is ${difference} ${aheadMs > 0 ? "ahead of" : "behind"} this machine’s`,
          "Sessions end too early, and signatures of webhooks and hooks are refused.",
          "Turn on time synchronization: `timedatectl set-ntp true`, where the clock is wrong.",
        )
      : fine(`The clock agrees with that of ${host}`),
  ];
}

const nameFailure = (config: Config, error: unknown): Finding[] => {
  if (!(error instanceof NoAnswer)) throw error;
  return [
    wrong(
      `${config.appUrl} ${error.message}`,
      "The dashboard can’t be reached at the address that its links and emails have.",
      "Check DNS, the proxy and its certificate, and whether the dashboard runs. If only this machine can’t reach it, run the doctor elsewhere.",
    ),
  ];
};

/** APP_URL as the public sees it: whether the dashboard is there, and what the proxy does. */
export const publicAddress: Check = {
  title: "Public address",
  async run({ config }) {
    let health: Answer;
    try {
      health = await ask(`${config.appUrl}/healthz`);
    } catch (error) {
      return nameFailure(config, error);
    }
    const [readiness, plain] = await Promise.all([
      checkReadiness(config).catch((error: unknown) => nameFailure(config, error)),
      checkPlainHttp(config),
    ]);
    return [
      ...judgeHealth(config, health),
      ...(health.status === 200 ? readiness : []),
      ...plain,
      ...judgeProxy(config),
      ...judgeClock(new URL(config.appUrl).host, health.clockAheadMs),
    ];
  },
};

/** This machine's clock, compared with Supabase's, whose clock issues the sessions. */
export const clock: Check = {
  title: "Clock",
  async run({ config }) {
    const { host } = new URL(config.supabaseUrl);
    const answer = await ask(`${config.supabaseUrl}/auth/v1/health`, {
      headers: { apikey: config.supabasePublishableKey },
    }).catch(() => null);
    if (answer === null || answer.clockAheadMs === null)
      return [byHand(`${host} does not say what time it is.`, "timedatectl")];
    return judgeClock(host, answer.clockAheadMs);
  },
};
