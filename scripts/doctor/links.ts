import { DEFAULT_QUICK_EXIT } from "~/env.server";

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
  judge?: (page: Page, config: Config) => Finding | null;
}

/** A page elsewhere, as it answered. */
interface Page {
  url: URL;
  answer: Answer;
  title: string;
  /** A sentence that says where the link leads. */
  shown: string;
}

const LONGEST_TITLE = 80;

/** The title of a page, safe for a terminal; empty for none. That of a redirect is not where it leads. */
function readTitle({ status, text }: Answer): string {
  const [, title = ""] = (status < 300 && /<title[^>]*>([^<]*)/i.exec(text)) || [];
  const line = title.replaceAll("&amp;", "&").replaceAll(/[\p{C}\s]+/gu, " ");
  return line.trim().slice(0, LONGEST_TITLE);
}

/**
 * Browsers don't follow every redirect after a form is sent: they go only to sites that the policy
 * of the page names.
 */
function judgeExit({ url, answer, shown }: Page): Finding | null {
  const { status, headers } = answer;
  const location = headers.get("Location");
  const isRedirect = status >= 300 && status <= 399 && location && URL.canParse(location, url);
  const target = isRedirect ? new URL(location, url) : url;
  if (target.origin !== url.origin)
    return wrong(
      `QUICK_EXIT_URL redirects to ${target.origin}`,
      "“Leave quickly” ends on an empty page.",
      "Set it to the address at which the page ends up, or choose another page.",
    );
  return url.href === DEFAULT_QUICK_EXIT
    ? null
    : byHand(`${shown}. Only you can tell that it reveals nothing.`, url.href);
}

/** Whether a page allows the dashboard to show it in a frame. */
function judgeFrame({ answer: { headers } }: Page, { appUrl }: Config): Finding | null {
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
        `Allow ${appUrl} to embed it in the tool’s settings. Is it perhaps the address for CONTACT_URL or QUICK_EXIT_URL?`,
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

/** The two offers that are sold elsewhere, and the words by which their pages can be told apart. */
const listOffers = (config: Config): (Link & { words: RegExp })[] => [
  {
    variable: "SOLO_EMAIL_CHECKOUT_URL",
    url: config.soloEmailUrl,
    leads: "The solo email is sold at",
    effect: "No one can buy a solo email.",
    words: /solo|e-?mail/i,
  },
  {
    variable: "BLOG_FEATURE_CHECKOUT_URL",
    url: config.blogFeatureUrl,
    leads: "The blog feature is sold at",
    effect: "No one can buy a blog feature.",
    words: /blog/i,
  },
];

const isPage = (opened: Page | Finding): opened is Page => "answer" in opened;

/** Asks for the page of a link. Returns what is wrong when it is not there. */
async function open({ variable, url, leads, effect }: Link): Promise<Page | Finding> {
  try {
    const answer = await ask(url!);
    if ([404, 410].includes(answer.status) || answer.status >= 500)
      return wrong(`${variable} answers ${answer.status}: ${url}`, effect, "Check the address.");
    const title = readTitle(answer);
    const shown = `${leads} ${url}${title && ` (“${title}”)`}`;
    return { url: new URL(url!), answer, title, shown };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return byHand(`${leads} ${url}, which ${error.message} from here.`, url!);
  }
}

async function look(config: Config, link: Link): Promise<Finding[]> {
  const { url, leads, judge } = link;
  if (url === null) return [];
  if (!url.startsWith("http")) return [fine(`${leads} ${url}`)];
  const page = await open(link);
  return [isPage(page) ? (judge?.(page, config) ?? fine(page.shown)) : page];
}

/**
 * Any address can be that of a checkout. Whether the two are swapped can be seen only where their paths and titles say
 * what they sell.
 */
async function lookAtOffers(config: Config): Promise<Finding[]> {
  const offers = listOffers(config).filter(({ url }) => url !== null);
  const pages = await Promise.all(offers.map(open));
  const says = ({ url, title }: Page, { words }: { words: RegExp }) =>
    words.test(`${url.pathname} ${title}`);
  const both = pages.filter(isPage);
  const isSwapped =
    both.length === 2 &&
    both.every((page, at) => says(page, offers[1 - at]!) && !says(page, offers[at]!));
  if (isSwapped)
    return [
      wrong(
        `${offers.map(({ variable }) => variable).join(" and ")} seem to be swapped: ${both.map(({ shown }) => shown).join(", ")}`,
        "People pay for something other than what they chose.",
        "Swap the two addresses.",
      ),
    ];
  return offers.map((offer, at) => {
    const page = pages[at]!;
    if (!isPage(page)) return page;
    return says(page, offer)
      ? fine(page.shown)
      : byHand(`${page.shown}. Neither its path nor its title says so.`, page.url.href);
  });
}

/** The pages elsewhere that the dashboard leads to: what each is for, and whether it is there. */
export const links: Check = {
  title: "Links",
  async run({ config }) {
    if (isLocalStart(config)) return [fine("Those of the local start")];
    const looked = list(config).map((link) => look(config, link));
    return (await Promise.all([...looked, lookAtOffers(config)])).flat();
  },
};
