/**
 * The pattern of the route that handles a URL, such as `/listings/:id`: each part of the path that
 * is one of the route's parameters is replaced by its name. So it has no id, and nothing that a
 * visitor made up: a path without a route gets the pattern of the route for all other paths, `/*`.
 * @param params as the router found them
 */
export function toRoutePattern(
  url: string,
  params: Readonly<Record<string, string | undefined>>,
): string {
  // The app has one route for all other addresses, at the root.
  if (params["*"] !== undefined) return "/*";
  const path = new URL(url).pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
  const parts = path
    .split("/")
    .filter(Boolean)
    .map((part) => decode(part).toLowerCase());
  // From the end: in /admin/users/admin the second one is the parameter.
  let end = parts.length;
  for (const [name, value] of Object.entries(params).reverse()) {
    if (value === undefined) continue;
    const at = parts.lastIndexOf(value.toLowerCase(), end - 1);
    // The router decodes some values twice. A part that can't be found could be anything that a
    // visitor wrote.
    if (at === -1) return "/:unknown";
    parts[at] = `:${name}`;
    end = at;
  }
  return `/${parts.join("/")}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
