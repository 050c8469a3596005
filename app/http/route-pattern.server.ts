/**
 * The pattern of the route that handles a URL, such as `/listings/:id`: each part of the path that is
 * one of the route's parameters is replaced by its name. So it has no id, and nothing that a visitor
 * made up: a path that no route has is that of the route for all others, `/*`.
 * @param params as the router found them
 */
export function toRoutePattern(
  url: string,
  params: Readonly<Record<string, string | undefined>>,
): string {
  const rest = params["*"];
  const path = new URL(url).pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
  const parts = path.split("/").filter(Boolean).map(decode);
  const tail = rest === undefined ? [] : rest.split("/").filter(Boolean);
  const head = parts.slice(0, parts.length - tail.length).map((part) => part.toLowerCase());
  // From the end: in /admin/users/admin the second one is the parameter.
  let end = head.length;
  for (const [name, value] of Object.entries(params).reverse()) {
    if (name === "*" || value === undefined) continue;
    const at = head.lastIndexOf(value.toLowerCase(), end - 1);
    if (at === -1) continue;
    head[at] = `:${name}`;
    end = at;
  }
  return `/${[...head, ...(rest === undefined ? [] : ["*"])].join("/")}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
