interface LazyRoute {
  id: string;
  lazy?: (() => Promise<unknown>) | undefined;
  children?: LazyRoute[] | undefined;
}

/** Resolves when the code of a route is there; otherwise leaves for the next page, as a document. */
async function loadCode(id: string): Promise<void> {
  try {
    await import(/* @vite-ignore */ window.__remixManifest.routes[id]!.module);
  } catch {
    const router = window.__remixRouter;
    const { navigation } = router.state;
    // While a form is being sent, its location is where it goes.
    if (navigation.state !== "loading") return;
    if (!navigator.onLine)
      await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
    location.assign(router.createHref(navigation.location));
    await new Promise(() => {});
  }
}

/**
 * Lets a link lead to its page when the code of that page does not arrive: Remix would load the present page again, and
 * the link would never lead anywhere. As a document, the next page needs no code.
 */
export function loadAsDocument(routes: LazyRoute[] = window.__remixRouter.routes): void {
  for (const route of routes) {
    const { id, lazy, children = [] } = route;
    if (lazy) route.lazy = () => loadCode(id).then(lazy);
    loadAsDocument(children);
  }
}
