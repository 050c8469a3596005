interface LazyRoute {
  id: string;
  action?: unknown;
  loader?: unknown;
  lazy?: (() => Promise<object>) | undefined;
  children?: LazyRoute[] | undefined;
}

type Navigation = (typeof window.__remixRouter)["state"]["navigation"];

/** Loads the code of a route. Rejects when it does not arrive. */
export const importCode = (id: string): Promise<unknown> =>
  import(/* @vite-ignore */ window.__remixManifest.routes[id]!.module);

/** Resolves once there is a connection. Until then the page stays, and says so: wait-for-connection.ts. */
const reachServer = () => fetch(new URL("/healthz", location.origin)).catch(() => {});

/** Resolves when the code of a route is there; otherwise leaves for the next page, as a document. */
async function loadCode(id: string): Promise<void> {
  const router = window.__remixRouter;
  const { navigation } = router.state;
  try {
    await importCode(id);
  } catch (error) {
    // Asked for by a part of the page, which says itself what happens then.
    if (navigation.state === "idle") throw error;
    await reachServer();
    // Otherwise someone chose something else meanwhile, and this ends here.
    if (router.state.navigation === navigation) leave(navigation);
    await new Promise(() => {});
  }
}

/** Asks for the next page as a document. @param isAnswered whether script has sent the form and has its answer */
function leave({ state, location: next, formMethod, formData }: Navigation, isAnswered = false) {
  const url = window.__remixRouter.createHref(next!);
  if (state === "submitting" || (isAnswered && formMethod === "POST"))
    sendAsDocument(url, formData!);
  else location.assign(url);
}

/** What the page that React shows next was asked for with. */
let coming: Navigation | undefined;

/** Notes that React shows the page that was asked for. */
export function noteShown(): void {
  coming = undefined;
}

/**
 * Asks again for the page that is coming, as a document, since React lacks code for a part of it. Resolves when no page
 * is coming.
 */
export async function leaveForComing(): Promise<void> {
  const navigation = coming;
  if (!navigation) return;
  await reachServer();
  if (coming !== navigation) return;
  // The answer to a form is a page with errors, or with more to choose: nothing was saved, and it can be sent again.
  leave(navigation, window.__remixRouter.state.actionData !== null);
  await new Promise(() => {});
}

/** Sends a form as the browser would without script. No form here has files. */
function sendAsDocument(url: string, fields: FormData): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  for (const [name, value] of fields) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value as string;
    form.append(input);
  }
  document.body.append(form);
  // The method, since a field may be called "submit".
  HTMLFormElement.prototype.submit.call(form);
}

/**
 * Lets a link lead to its page, and a form to its answer, when the code of that page does not arrive: Remix would load
 * the present page again. As a document, the next page needs no code.
 */
export function loadAsDocument(): void {
  window.__remixRouter.subscribe(({ navigation }) => {
    if (navigation.state !== "idle") coming = navigation;
  });
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
