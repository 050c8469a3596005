interface LazyRoute {
  id: string;
  action?: unknown;
  loader?: unknown;
  lazy?: (() => Promise<object>) | undefined;
  children?: LazyRoute[] | undefined;
}

/**
 * Loads the module that goes on without the missing code. Each page loads it ahead, since it may be
 * needed without a connection.
 */
export const loadFallback = () => import("./as-document.client");

/** Loads the code of a route. Rejects when it does not arrive. */
export const importCode = (id: string): Promise<unknown> =>
  import(/* @vite-ignore */ window.__remixManifest.routes[id]!.module);

/** Resolves when the code of a route is there; otherwise leaves for the next page, as a document. */
async function loadCode(id: string): Promise<void> {
  const { navigation } = window.__remixRouter.state;
  await importCode(id).catch(async (error: unknown) =>
    (await loadFallback()).leaveFor(navigation, error),
  );
}

/**
 * Lets a link lead to its page, and a form to its answer, when the code of that page does not arrive: Remix would load
 * the present page again. As a document, the next page needs no code.
 */
export function loadAsDocument(): void {
  void loadFallback();
  watchCode(window.__remixRouter.routes);
}

function watchCode(routes: LazyRoute[]): void {
  for (const route of routes) {
    const { id, action, loader, lazy, children = [] } = route;
    if (lazy) {
      // The router asks the server while the code loads, unless the code brings the function that asks. A form must not
      // be sent before its code is there: the document would send it again. And the page that it leads to must not be
      // asked for before: it shows its notice once.
      route.action = undefined;
      route.lazy = async () => {
        const isForm = window.__remixRouter.state.navigation.formMethod === "POST";
        route.loader = isForm ? undefined : loader;
        await loadCode(id);
        return { action, ...(isForm && { loader }), ...(await lazy()) };
      };
    }
    watchCode(children);
  }
}
