import { PASSWORD } from "./journey";

type Row = Record<string, unknown>;

/** Asks the data API as a person does from another app, such as the mobile one; throws when it refuses. */
export async function dataApi(email: string, password = PASSWORD) {
  const { E2E_SUPABASE_URL: url, E2E_PUBLISHABLE_KEY: apikey } = process.env as Record<
    string,
    string
  >;
  const send = async (
    path: string,
    headers: Record<string, string>,
    method: string,
    body?: unknown,
  ) => {
    const response = await fetch(`${url}/${path}`, {
      method,
      headers: {
        apikey: apikey!,
        "Content-Type": "application/json",
        Prefer: "return=representation",
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? [] : JSON.parse(text)) as unknown;
  };
  const session = (await send("auth/v1/token?grant_type=password", {}, "POST", {
    email,
    password,
  })) as { access_token: string };
  const ask = (method: "GET" | "POST" | "PATCH") => async (path: string, body?: unknown) =>
    (await send(
      `rest/v1/${path}`,
      { Authorization: `Bearer ${session.access_token}` },
      method,
      body,
    )) as Row[];
  return { get: ask("GET"), post: ask("POST"), patch: ask("PATCH") };
}

/** Listings as their owner adds them, in a state of their own, so that a filter finds these alone. */
export async function addListings(
  email: string,
  names: readonly string[],
  state: string,
): Promise<number[]> {
  const api = await dataApi(email);
  const ids: number[] = [];
  for (const name of names) {
    const [made] = await api.post("places", {
      ...{
        name,
        category: 1,
        description: "We bake bread for everybody, each day.",
        rawaddress: "1 Main St",
        address: "1 Main St",
        city: "Bend",
        state,
      },
      ...{ third_party_auth: true, certified_queer: true },
    });
    ids.push(made!["id"] as number);
  }
  return ids;
}
