import type { Item } from "~/modules/billing/catalog";

import type { Member, World } from "./world";

/** Inserts a complete, unpaid job of an owner's. Returns its id. */
export async function insertJob(world: World, owner: Member): Promise<number> {
  const { id } = await world.insert("jobs", {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: "{Oregon}",
    company_name: "X",
    company_bio: "Y",
    owner: owner.id,
    owner_email: owner.email,
  });
  return id as number;
}

/** Opens a checkout as the pages do, with the permissions of the member. Returns its URL. */
export async function openCheckoutAs(world: World, member: Member, item: Item): Promise<string> {
  const { openCheckout } = await import("~/modules/billing/checkout.server");
  const { log } = await import("~/http/log.server");
  const { url } = await openCheckout(
    {
      db: await dataApiAs(world, member),
      buyer: { id: member.id, email: member.email, discreet: false },
      log: log(),
    },
    item,
  );
  return url;
}

async function dataApiAs(world: World, { email, password }: Member) {
  const { createUserClient } = await import("~/integrations/supabase/clients.server");
  const response = await fetch(`${world.supabase.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return createUserClient(token);
}
