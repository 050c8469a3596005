import { ask, NoAnswer, type Answer } from "./ask";
import { isLocalStart, type Check, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

interface Link {
  variable: string;
  url: string | null;
  /** Begins a sentence that ends with the address. */
  leads: string;
  /** What it means for users when the page is not there. */
  effect: string;
  judge?: (url: URL, answer: Answer, config: Config) => Finding | null;
}

/** A redirect to another site ends a form's way: browsers follow it only to sites that the policy of the page names. */
function judgeExit(url: URL, { status, headers }: Answer): Finding | null {
  const location = headers.get("Location");
  if (status < 300 || status > 399 || !location || !URL.canParse(location, url)) return null;
  const target = new URL(location, url);
  return target.origin === url.origin
    ? null
    : wrong(
        `QUICK_EXIT_URL redirects to ${target.origin}`,
        "“Leave quickly” ends on an empty page.",
        "Set it to the address at which the page ends up, or choose another page.",
      );
}

/** Whether a page allows to be shown inside of the dashboard. */
function judgeFrame(_: URL, { headers }: Answer, { appUrl }: Config): Finding | null {
  const policy = headers.get("Content-Security-Policy") ?? "";
  const ancestors = /(?:^|;)\s*frame-ancestors\s+([^;]+)/i.exec(policy)?.[1]?.trim().split(/\s+/);
  // Where a policy says it, browsers do not look at the older header.
  const allowed = ancestors
    ? ancestors.some((one) => ["*", "https:", appUrl, new URL(appUrl).host].includes(one))
    : !headers.has("X-Frame-Options");
  return allowed
    ? null
    : wrong(
        "The page at ADMIN_TOOL_URL does not let other sites show it",
        "The Database page of the dashboard stays empty.",
        `Allow ${appUrl} to embed it in the tool’s settings. Is it perhaps the address for QUICK_EXIT_URL?`,
      );
}

const list = (config: Config): Link[] => [
  {
    variable: "QUICK_EXIT_URL",
    url: config.quickExitUrl,
    leads: "“Leave quickly” leads to",
    effect: "“Leave quickly” ends on an error page.",
    judge: judgeExit,
  },
  {
    variable: "ADMIN_TOOL_URL",
    url: config.adminToolUrl,
    leads: "Admins see the team’s database tool, from",
    effect: "The Database page of the dashboard shows an error.",
    judge: judgeFrame,
  },
  {
    variable: "SOLO_EMAIL_CHECKOUT_URL",
    url: config.soloEmailUrl,
    leads: "The solo email is sold at",
    effect: "No one can buy a solo email.",
  },
  {
    variable: "BLOG_FEATURE_CHECKOUT_URL",
    url: config.blogFeatureUrl,
    leads: "The blog feature is sold at",
    effect: "No one can buy a blog feature.",
  },
  {
    variable: "CONTACT_URL",
    url: config.contactUrl,
    leads: "“Get In Touch” leads to",
    effect: "People who need help can’t reach you.",
  },
  {
    variable: "TERMS_URL",
    url: config.termsUrl,
    leads: "The terms of sale are at",
    effect: "Buyers can’t read what they agree to.",
  },
];

async function look(config: Config, link: Link): Promise<Finding[]> {
  const { variable, url, leads, effect, judge } = link;
  if (url === null) return [];
  const shown = fine(`${leads} ${url}`);
  if (!url.startsWith("http")) return [shown];
  try {
    const answer = await ask(url);
    if ([404, 410].includes(answer.status) || answer.status >= 500)
      return [wrong(`${variable} answers ${answer.status}: ${url}`, effect, "Check the address.")];
    return [judge?.(new URL(url), answer, config) ?? shown];
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return [byHand(`${leads} ${url}, which ${error.message} from here.`, url)];
  }
}

/** The pages elsewhere that the dashboard leads to: what each is for, and whether it is there. */
export const links: Check = {
  title: "Links",
  async run({ config }) {
    if (isLocalStart(config)) return [fine("Those of the local start")];
    return (await Promise.all(list(config).map((link) => look(config, link)))).flat();
  },
};
