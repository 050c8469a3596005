import type { Database } from "~/integrations/supabase/database.types";

type Public = Database["public"];

interface Contract {
  /** A column that is never null. */
  key: string;
  /** A column that can be written, by those who may. */
  column: string;
  /** What reading it answers to visitors, to a user who has nothing, and to the server. */
  visitors: string;
  users: string;
  server: string;
  /** A view that no one can write to: Postgres says so before it asks who may. */
  unwritable?: true;
}

/** Every table and view of the data API. No visitor may add to one, or change or delete anything in it. */
export const RELATIONS: { [Name in keyof (Public["Tables"] & Public["Views"])]: Contract } = {
  audit_log: {
    key: "id",
    column: "action",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  categories: { key: "id", column: "name", visitors: "200", users: "200", server: "200" },
  consents: {
    key: "id",
    column: "at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  email_preferences: {
    key: "user_id",
    column: "kind",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  events: {
    key: "id",
    column: "created_at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  favorites: {
    key: "user_id",
    column: "created_at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  feedback: {
    key: "id",
    column: "archived",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  form_stash: {
    key: "id",
    column: "expires_at",
    visitors: "401 42501",
    users: "403 42501",
    server: "200",
  },
  jobs: {
    key: "id",
    column: "ally_owned",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  leads: {
    key: "id",
    column: "created_at",
    visitors: "401 42501",
    users: "403 42501",
    server: "200",
  },
  listing_drafts: {
    key: "id",
    column: "created_at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  listing_managers: {
    key: "place_id",
    column: "invited_by",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  manager_invitations: {
    key: "id",
    column: "accepted_at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  orders: {
    key: "id",
    column: "amount_paid_cents",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  payments: {
    key: "id",
    column: "cents",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  place_stats: {
    key: "place_id",
    column: "favorites",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  place_views: {
    key: "place_id",
    column: "hour",
    visitors: "401 42501",
    users: "403 42501",
    server: "200",
  },
  places: {
    key: "id",
    column: "address",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  profiles: {
    key: "id",
    column: "admin",
    visitors: "401 42501",
    users: "200 (rows: 1)",
    server: "200",
  },
  rate_limits: {
    key: "bucket",
    column: "bucket",
    visitors: "401 42501",
    users: "403 42501",
    server: "403 42501",
  },
  refunds: {
    key: "id",
    column: "attempt",
    visitors: "401 42501",
    users: "403 42501",
    server: "200",
  },
  rejected_edits: {
    key: "place_id",
    column: "edit",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  saved_views: {
    key: "id",
    column: "created_at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  sponsorship_dates: {
    key: "weekday_date",
    column: "blocked",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  sponsorship_spots: {
    key: "sponsorship_id",
    column: "held_until",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  sponsorships: {
    key: "id",
    column: "created_at",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "200",
  },
  stripe_events: {
    key: "id",
    column: "created_at",
    visitors: "401 42501",
    users: "403 42501",
    server: "200",
  },
  subscriptions: {
    key: "id",
    column: "canceled_at",
    visitors: "401 42501",
    users: "403 42501",
    server: "200",
  },
  managed_places: {
    key: "id",
    column: "address",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
  },
  places_with_stats: {
    key: "id",
    column: "archive_requested",
    visitors: "401 42501",
    users: "200 (rows: 0)",
    server: "403 42501",
    unwritable: true,
  },
  public_jobs: {
    key: "id",
    column: "ally_owned",
    visitors: "200",
    users: "200",
    server: "200",
    unwritable: true,
  },
  public_places: {
    key: "id",
    column: "address",
    visitors: "200",
    users: "200",
    server: "200",
    unwritable: true,
  },
};
