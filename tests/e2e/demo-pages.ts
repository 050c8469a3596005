/** Every page of the demo data, by who opens it. */
import { adminPaths, ownerPaths, PUBLIC_PATHS } from "../support/page-paths";
import { dataApi, demo } from "./data-api";

const signedOut = async () => PUBLIC_PATHS;

async function ofAnOwner(): Promise<string[]> {
  const owner = await dataApi(demo.owner);
  const listing = await owner.first(`places?select=id&owner=eq.${owner.id}&status=eq.published`);
  const own = await owner.first(`places?select=id&owner=eq.${owner.id}&status=eq.pending-update`);
  const job = await owner.first(`jobs?select=id&owner=eq.${owner.id}`);
  const unpaid = await owner.first(`sponsorships?select=id&owner=eq.${owner.id}&paid=is.false`);
  const paid = await owner.first(`sponsorships?select=id&owner=eq.${owner.id}&paid=is.true`);
  const lead = await owner.first("leads?select=id");
  return [
    ...ownerPaths({ listing, edited: own, featured: listing, job, lead, unpaid, paid }),
    "/invitation",
  ];
}

async function ofAnAdmin(): Promise<string[]> {
  const { id: user } = await dataApi(demo.owner);
  const admin = await dataApi(demo.admin);
  const edited = await admin.first("places?select=id&status=eq.pending-update");
  return [...adminPaths({ edited, user }), "/admin/listings/export", "/admin/pending?edit=other"];
}

/** `email` is who signs in, and `third` the first page of a run that opens every third (tests/support/nightly.ts). */
export const DEMO_PAGES = [
  { whose: "of people who are not signed in", findPaths: signedOut, email: null, third: 0 },
  { whose: "of an owner", findPaths: ofAnOwner, email: demo.owner, third: 1 },
  { whose: "of an admin", findPaths: ofAnAdmin, email: demo.admin, third: 2 },
] as const;
