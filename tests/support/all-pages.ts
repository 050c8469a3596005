/** Every page of the dashboard, with demo data, as documents: for tests of what holds for all of them. */
import type { Answer } from "./answer";
import { useLongDeadlines } from "./long-deadlines";
import { adminPaths, ownerPaths, PUBLIC_PATHS } from "./page-paths";
import type { Member, World } from "./world";

export interface PageState {
  /** Names it in messages. */
  state: string;
  page: Answer;
}

type Row = Record<string, unknown>;

/** A user of the demo data, who signs in as anyone does. */
async function signInToDemo(world: World, email: string): Promise<Member> {
  const [user] = await world.sql("select id, full_name from public.profiles where email = $1", [
    email,
  ]);
  return world.signIn({
    id: user!["id"],
    email,
    password: "rainbow-demo-1",
    fullName: user!["full_name"],
  } as Member);
}

/** Opens every page of a world with demo data, and its forms with errors. */
export async function openAllPages(world: World): Promise<PageState[]> {
  useLongDeadlines();
  const owner = await signInToDemo(world, "owner@demo.test");
  const admin = await signInToDemo(world, "admin@demo.test");
  const anonymous = world.anonymous();
  const one = async (query: string, ...params: unknown[]): Promise<Row> =>
    (await world.sql(query, params))[0] ?? {};
  const mine = async (table: string, where = "true") =>
    String(
      (
        await one(
          `select id from public.${table} where owner = $1 and ${where} order by id limit 1`,
          owner.id,
        )
      )["id"],
    );
  const listing = await mine("places", "status = 'published'");
  const own = await mine("places", "status = 'pending-update'");
  const featured = await mine("places", "premium");
  const edited = String(
    (await one("select id from public.places where status = 'pending-update' order by id limit 1"))[
      "id"
    ],
  );
  const job = await mine("jobs");
  const unpaid = await mine("sponsorships", "not paid");
  const paid = await mine("sponsorships", "paid");
  const lead = String(
    (
      await one(
        "select l.id from public.leads l join public.places p on p.id = l.place_id where p.owner = $1 order by l.id limit 1",
        owner.id,
      )
    )["id"],
  );
  const order = await one("select id from public.orders order by created_at limit 1");
  const newListings = await world.sql(
    "select id, version from public.places where status = 'new' order by id limit 3",
  );

  const states: PageState[] = [];
  const add = (state: string, page: Answer) => states.push({ state, page });
  const open = async (who: Member | typeof anonymous, ...paths: string[]) => {
    for (const path of paths) add(path, await who.page(path));
  };
  const send = async (
    who: Member | typeof anonymous,
    path: string,
    fields: Record<string, string> = {},
  ) => add(`POST ${path} ${fields["intent"] ?? ""}`, await who.submit(path, fields));

  await open(anonymous, ...PUBLIC_PATHS, "/invitation", "/leads", "/no-such-page");
  await send(anonymous, "/login", { email: "nobody", password: "" });
  await send(anonymous, "/signup", { email: "nobody", phone: "12", phone_country: "" });
  await send(anonymous, "/recovery", { email: "nobody" });
  await open(
    owner,
    ...ownerPaths({ listing, edited: own, featured, job, lead, unpaid, paid }),
    "/listings?search=a",
    `/listings/${listing}/archive`,
    "/admin",
  );
  for (const path of [
    "/listings/new",
    `/listings/${listing}`,
    "/jobs/new",
    "/sponsor/new",
    "/account",
  ])
    await send(owner, path, { intent: "save" });
  await send(owner, "/listings/new", {
    intent: "findAddress",
    rawaddress: "1 Castro St, San Francisco",
  });
  await send(owner, "/listings/new", { intent: "continue", category: "12" });
  const light = owner.otherTab();
  await light.post("/version", { version: "light" });
  for (const path of ["/listings", "/listings/new", "/account"])
    add(`${path} in the light version`, await light.page(path));
  await open(
    admin,
    ...adminPaths({ edited, user: owner.id }),
    `/admin/new?ticked=${newListings.map(({ id, version }) => `${String(id)}.${String(version)}`).join("-")}`,
    "/admin/pending?edit=other&search=a",
    "/admin/listings/export",
    "/admin/feedback?completed=yes",
    `/admin/payments/${String(order["id"])}`,
    `/listings/${edited}`,
  );
  await send(admin, "/admin/users", { intent: "reveal", person: owner.id });
  await send(admin, `/admin/listings/${edited}`, { intent: "request-changes" });
  await send(admin, `/listings/${edited}`, { intent: "findPerson", owner_search: "demo" });
  const chosen = await admin.post("/admin/new", [
    ["intent", "choose"],
    ["action", "approve"],
    ...newListings.map(
      ({ id, version }) => ["listing", `${String(id)}:${String(version)}`] as [string, string],
    ),
  ] as [string, string][]);
  if (chosen.location) await open(admin, chosen.location);
  return states;
}
