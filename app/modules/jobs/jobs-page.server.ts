import { z } from "zod";

import { readRowPosition, type Page, type PagePosition } from "~/http/pagination";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { parseSearchText } from "~/text/search-text";

import type { StatusBadge } from "../listings/rules";
import { findPendingPayments } from "./pending-payments.server";
import {
  JOB_STATES,
  getJobBadges,
  isUnseen,
  lacksCompany,
  listJobActions,
  type JobAction,
} from "./rules";

const PAGE_ROWS = 50;

const JOB_FILTERS = [...JOB_STATES, "filled"] as const;

/** How the list of all jobs is filtered. */
export interface JobsFilterValues {
  search: string;
  state: (typeof JOB_FILTERS)[number] | null;
}

/** Reads the filter from a URL. Anything malformed is ignored. */
export function readJobsFilter(params: URLSearchParams): JobsFilterValues {
  return {
    search: parseSearchText(params.get("search")),
    state: JOB_FILTERS.find((state) => state === params.get("state")) ?? null,
  };
}

const jobRow = z.object({
  id: z.number(),
  title: z.string(),
  paid: z.boolean(),
  published: z.boolean(),
  expiration_date: z.string().nullable(),
  filled_at: z.string().nullable(),
  created_at: z.string(),
  names_company: z.boolean(),
  /** For admins only; the email address is masked. */
  owner: z.string().nullish(),
  owner_name: z.string().nullish(),
  owner_email: z.string().nullish(),
  /** For admins only: whether its company has the name of someone else's listing. */
  has_namesake: z.boolean().optional(),
});
type Row = z.infer<typeof jobRow> & { payment_pending: boolean };

const jobsPage = z.object({
  total: z.number(),
  previous: z.number().nullable(),
  next: z.number().nullable(),
  rows: z.array(jobRow),
});

/** The user's own jobs, or everyone's under a filter (for admins). */
type JobsScope = "own" | JobsFilterValues;

/** Reads one page of jobs, the newest first. @throws DataError */
export async function readJobs(
  db: Db,
  scope: JobsScope,
  position: PagePosition<number>,
  pageRows = PAGE_ROWS,
): Promise<Page<Row, number> & { total: number }> {
  const filter = scope === "own" ? {} : { search: scope.search || null, state: scope.state };
  const [{ rows, previous, next, total }, pending] = await Promise.all([
    callFunction(
      db,
      "jobs_page",
      { all_owners: scope !== "own", ...filter, ...position, page_rows: pageRows },
      jobsPage,
    ),
    findPendingPayments(db),
  ]);
  return {
    rows: rows.map((row) => ({ ...row, payment_pending: pending.has(row.id) })),
    before: previous,
    after: next,
    total,
  };
}

/** A job as its row in a table shows it. */
export interface JobRow {
  id: number;
  title: string;
  /** The title, with the job's number where another job has the same title. For links and buttons. */
  about: string;
  badges: StatusBadge[];
  /** Why no one sees it, in a few words; null when people do. */
  note: string | null;
  actions: JobAction[];
  /** Whether a payment for it is on its way. */
  awaited: boolean;
  expires: string | null;
  /** For admins. The masked email address of a job without an account. */
  owner: { id: string; name: string | null } | { email: string } | null;
}

interface JobsPage extends Pick<Page<unknown, number>, "before" | "after"> {
  jobs: JobRow[];
  total: number;
}

function toOwner({ owner, owner_name, owner_email }: Row): JobRow["owner"] {
  if (owner) return { id: owner, name: owner_name ?? null };
  return owner_email ? { email: owner_email } : null;
}

/** Lists one page of jobs for a table. @param now the time for their states @throws DataError */
export async function listJobs(
  db: Db,
  scope: JobsScope,
  params: URLSearchParams,
  now: Date,
): Promise<JobsPage> {
  const { rows, ...page } = await readJobs(db, scope, readRowPosition(params));
  const titles = rows.map(({ title }) => title);
  const isUnique = (title: string) => titles.indexOf(title) === titles.lastIndexOf(title);
  return {
    ...page,
    jobs: rows.map((row) => ({
      id: row.id,
      title: row.title,
      about: isUnique(row.title) ? row.title : `${row.title} (${row.id})`,
      badges: getJobBadges(row, now),
      note:
        isUnseen(row, now) || lacksCompany(row, now)
          ? "Its listing isn’t public, or has another owner."
          : null,
      actions: listJobActions(row, now),
      awaited: row.payment_pending,
      expires: row.expiration_date,
      owner: toOwner(row),
    })),
  };
}
