import { parseRowId } from "~/text/row-id";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { parseSearchText } from "~/text/search-text";

import {
  JOB_STATES,
  jobBadges,
  jobChoices,
  momentInWords,
  type JobFacts,
  type JobIntent,
} from "./rules";
import type { StatusBadge } from "../listings/rules";

/** As many rows as a page of jobs holds. */
const PAGE_SIZE = 50;

/** What the list of everybody's jobs can be narrowed to. */
const JOB_FILTERS = [...JOB_STATES, "filled"] as const;
export type JobFilter = (typeof JOB_FILTERS)[number];

/** Which page of jobs is asked for. */
export interface JobsQuery {
  search: string;
  state: JobFilter | null;
  /** Begin after this job, or end before that one; the first page without either. */
  after: number | null;
  before: number | null;
}

/** A job as its row in a table needs it. */
export interface JobRow {
  id: number;
  title: string;
  /** What its links and buttons are about: its title, and its number where another has the same. */
  about: string;
  badges: StatusBadge[];
  choices: JobIntent[];
  expires: { iso: string; words: string } | null;
  /** For admins: whose it is, and the masked address of a job without an account. */
  owner: { id: string; name: string | null } | { email: string } | null;
}

export interface JobsPage {
  jobs: JobRow[];
  total: number;
  /** The jobs to go on with; null where there is nothing more. */
  previous: number | null;
  next: number | null;
}

/** What the address of a list of jobs asks for; anything malformed is as if it were not there. */
export function jobsQuery(params: URLSearchParams): JobsQuery {
  return {
    search: parseSearchText(params.get("search")),
    state: JOB_FILTERS.find((state) => state === params.get("state")) ?? null,
    after: parseRowId(params.get("after")),
    before: parseRowId(params.get("before")),
  };
}

interface Row extends JobFacts {
  id: number;
  title: string;
  owner?: string | null;
  owner_name?: string | null;
  owner_email?: string | null;
}

function ownerOf({ owner, owner_name, owner_email }: Row): JobRow["owner"] {
  if (owner) return { id: owner, name: owner_name ?? null };
  return owner_email ? { email: owner_email } : null;
}

/**
 * A page of jobs, the newest first: the person's own, or everybody's. One call.
 * @param whose "everybody" is for admins
 * @param now the moment that states are told for
 * @throws DataError
 */
export async function jobsPage(
  db: Db,
  whose: "mine" | "everybody",
  query: JobsQuery,
  now: Date,
): Promise<JobsPage> {
  const asked = Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== null && value !== ""),
  );
  const { rows, ...page } = unwrap(
    await db.rpc("jobs_page", {
      ...asked,
      all_owners: whose === "everybody",
      page_rows: PAGE_SIZE,
    }),
  ) as unknown as Omit<JobsPage, "jobs"> & { rows: Row[] };
  const titles = rows.map(({ title }) => title);
  const isOnlyOne = (title: string) => titles.indexOf(title) === titles.lastIndexOf(title);
  return {
    ...page,
    jobs: rows.map((row) => ({
      id: row.id,
      title: row.title,
      about: isOnlyOne(row.title) ? row.title : `${row.title} (${row.id})`,
      badges: jobBadges(row, now),
      choices: jobChoices(row, now),
      expires:
        row.expiration_date === null
          ? null
          : { iso: row.expiration_date, words: momentInWords(row.expiration_date) },
      owner: ownerOf(row),
    })),
  };
}
