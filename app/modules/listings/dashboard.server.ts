import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { calendarDay } from "~/text/dates";

import type { AttentionTask } from "./attention";
import { PAGE_SIZE, type DashboardQuery } from "./dashboard-query";
import {
  formatFavorites,
  formatNearbyUsers,
  formatViews,
  joinNumbers,
  getDashboardBadge,
  getListingNotes,
  type ListingNote,
} from "./dashboard-rules";
import { formatPlace, getOwnRole, type OwnRole } from "./rules";

/** A listing as my_dashboard() returns it. */
const listingRow = z.object({
  id: z.number(),
  name: z.string(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  status: z.string(),
  premium: z.boolean(),
  /** Null, like the other numbers, for a listing that is not Featured or not the caller's. */
  user_count_by_distance: z.number().nullable(),
  views: z.number().nullable(),
  favoritescount: z.number().nullable(),
  weekly_views: z.array(z.number()).nullable(),
  proxi_id: z.string().nullable(),
  /** Of the plan that the owner pays for; null also when a former owner goes on paying (paid_by_another). */
  subscription_status: z.string().nullable(),
  paid_by_another: z.boolean(),
  owner: z.string().nullable(),
  owner_email: z.string().nullable(),
  hidden: z.boolean(),
  archive_requested: z.boolean(),
  changes_requested: z.string().nullable(),
  /** The columns that the waiting edit changed. */
  changed: z.array(z.string()),
  rejected: z.object({ reason: z.string().nullable() }).nullable(),
  /** When a canceled subscription ends; null while it renews. */
  subscription_ends_at: z.string().nullable(),
});
type ListingRow = z.infer<typeof listingRow>;

/** A draft among them. Its name may be empty. */
const draftRow = z
  .object({ draft: z.string(), name: z.string(), updated_at: z.string() })
  .transform(({ draft, name, updated_at }) => ({ draft, name, updatedAt: updated_at }));
/** A new listing that was not submitted yet. */
export type DashboardDraft = z.infer<typeof draftRow>;

const counts = z.object({
  all: z.number(),
  attention: z.number(),
  featured: z.number(),
  review: z.number(),
  hidden: z.number(),
  drafts: z.number(),
});

const myDashboard = z.object({
  rows: z.array(z.union([draftRow, listingRow])),
  all: z.number(),
  counts,
  total: z.number(),
  first: z.number().nullable(),
  week: z.string(),
  /** (Absent from a database of the previous release.) */
  first_month: z.boolean().default(true),
  tasks: z.array(
    z.object({
      kind: z.enum([
        "payment-failed",
        "changes-requested",
        "no-address",
        "no-email",
        "to-claim",
        "draft",
      ]),
      id: z
        .number()
        .nullable()
        .transform((id) => id ?? undefined),
      draft: z
        .string()
        .nullable()
        .transform((draft) => draft ?? undefined),
      name: z.string(),
      at: z.string(),
    }),
  ),
});

/**
 * A listing as the dashboard shows it, and nothing else: a page of twenty must load on slow lines. Lists
 * are joined to one text, which takes a third of the bytes.
 */
export interface DashboardListing extends Pick<ListingRow, "id" | "name"> {
  /** Most are "published", and have none. */
  status?: string;
  /** "Oakland, CA" */
  place: string;
  hidden?: true;
  archive_requested?: true;
  /** It has a public page. */
  onMap?: true;
  /** Its tone and its label: "waiting Pending Review". Most are published, and have none. */
  badge?: string;
  /** Most are the user's own, and have none. */
  role?: Exclude<OwnRole, "owner">;
  /** Most have none. */
  notes?: Omit<ListingNote, "tone">[];
  /** It has, or had, a plan that its owner can see. */
  hasPlan?: true;
  /** A former owner goes on paying for its plan. */
  paidByAnother?: true;
  /** What its card shows (`readNumbers`). One that is not Featured has none, and is a row. */
  numbers?: string;
}

/** One page of a user's dashboard. */
interface DashboardPage {
  /** Featured ones first, then the others and the drafts, by name. */
  rows: (DashboardListing | DashboardDraft)[];
  /** How many there are, whatever is searched for. */
  all: number;
  /** How many of those that the search finds each chip shows. */
  counts: z.infer<typeof counts>;
  /** How many are shown on all pages. */
  total: number;
  /** The position of the page's first row among these, from 1; 0 if there is none. */
  first: number;
  /** The Monday of the current week, which names the weeks of the charts. */
  week: string;
  /** Whether the first month of Featured has its lower price for one of their listings. */
  hasFirstMonth: boolean;
  /** The five most urgent ones, most urgent first. */
  tasks: AttentionTask[];
}

/**
 * A page of a user's dashboard: the listings that they own, manage, or may claim (no owner, and
 * their confirmed email address as owner_email), and their drafts. One database call.
 * @param rowsOnPage how many there are on a page
 * @throws DataError
 */
export async function getDashboardPage(
  db: Db,
  userId: string,
  { search, show, page }: DashboardQuery,
  rowsOnPage = PAGE_SIZE,
): Promise<DashboardPage> {
  const { rows, first, first_month, tasks, ...rest } = await callFunction(
    db,
    "my_dashboard",
    { page_rows: rowsOnPage, search, show, page },
    myDashboard,
  );
  return {
    ...rest,
    tasks: tasks.map(({ at, ...task }) =>
      task.draft === undefined ? task : { ...task, saved: calendarDay(new Date(at)) },
    ),
    rows: rows.map((row) => ("draft" in row ? row : toListing(row, getOwnRole(row, userId)))),
    first: first ?? 0,
    hasFirstMonth: first_month,
  };
}

function toListing(row: ListingRow, role: OwnRole): DashboardListing {
  const { id, name, city, state, status, hidden, archive_requested } = row;
  const facts = { ...row, role, hasOwnerEmail: row.owner_email !== null };
  const badge = getDashboardBadge(facts);
  const notes = getListingNotes(facts);
  const isFeatured = row.premium && role !== "claimant";
  return {
    id,
    name,
    ...(status !== "published" && { status }),
    ...(hidden && { hidden }),
    ...(archive_requested && { archive_requested }),
    ...(row.proxi_id ? { onMap: true } : {}),
    place: formatPlace({ city, state }) || "No address yet",
    ...(badge.tone !== "published" && { badge: `${badge.tone} ${badge.label}` }),
    ...(role !== "owner" && { role }),
    ...(notes.length > 0 && { notes: notes.map(({ tone: _, ...note }) => note) }),
    ...(role === "owner" && row.subscription_status !== null && { hasPlan: true }),
    ...(row.paid_by_another && { paidByAnother: true }),
    ...(isFeatured && {
      numbers: joinNumbers({
        stats: [
          formatNearbyUsers(row.user_count_by_distance),
          formatViews(row.views),
          formatFavorites(row.favoritescount),
        ],
        weeks: row.weekly_views ?? [],
      }),
    }),
  };
}
