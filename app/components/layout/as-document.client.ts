/**
 * What happens when code does not arrive, or a proxy has a page of its own to show first: the browser asks for the page
 * as a document, which needs none. Loaded after React has started, with what keeps the page while there is no connection.
 */
import { waitForConnection, waitWhileLeaving } from "./wait-for-connection";

type Navigation = (typeof window.__remixRouter)["state"]["navigation"];

const router = window.__remixRouter;
/** How the page that the router has, or waits for, was requested. */
let last = router.state.navigation;
router.subscribe(({ navigation }) => {
  if (navigation.state !== "idle") last = navigation;
});

waitForConnection(async () => {
  const { navigation } = router.state;
  if (navigation.location)
    await askForDocument(
      navigation,
      location.href === location.origin + router.createHref(navigation.location),
    );
});

/**
 * Leaves for a page whose code does not arrive. @throws error when no page is coming: a part of
 * this page asked for the code, and handles the error itself
 */
export async function leaveFor(navigation: Navigation, error: unknown): Promise<void> {
  if (navigation.state === "idle") throw error;
  await askForDocument(navigation);
  // Something else was chosen meanwhile, and this ends here.
  await new Promise(() => {});
}

/**
 * Asks for a page as a document, once there is a connection. Resolves when another one has been chosen by then.
 * @param isHere whether the address is that of the page already, and only React does not show it
 */
async function askForDocument(navigation: Navigation, isHere = false): Promise<void> {
  // Until it is answered, this page stays, and says so.
  await fetch(new URL("/healthz", location.origin)).catch(() => {});
  await waitWhileLeaving();
  if (navigation !== last) return;
  const { state, formMethod, formData } = navigation;
  const url = router.createHref(navigation.location!);
  // The answer to a form is a page with errors, or with more to choose: nothing was saved, and it can be sent again.
  const isAnswered = isHere && formMethod === "POST" && router.state.actionData !== null;
  if (state === "submitting" || isAnswered) sendForm(url, formData!);
  // To assign the same address with a hash would only scroll. The page before is still in view, and a reload returns to
  // where that was left.
  else if (isHere) {
    scrollTo(0, 0);
    location.reload();
  } else location.assign(url);
  await new Promise(() => {});
}

/** Sends a form as the browser would without script. No form here has files. */
function sendForm(url: string, fields: FormData): void {
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

/** The events that can lead to a document, and where. Leaving quickly does already, and does more: leave-at-once.ts. */
const DOCUMENTS = { click: "a[href]", submit: 'form:not([action="/leave"])' };

/**
 * Goes on when React lacks code for a part of a page. The page that is coming is asked for again, as a document. When
 * none is coming, this one stays, and its links and forms work as without script.
 * @returns what is shown in place of the part
 */
export async function goOnWithout<Part>(fallback: Part): Promise<{ default: Part }> {
  // The line at the top is there until React shows the page.
  if (last.location && document.querySelector(".page-coming")) await askForDocument(last, true);
  // React listens at the document, so it never sees the event, and the browser follows the link or sends the form.
  for (const [type, selector] of Object.entries(DOCUMENTS))
    addEventListener(
      type,
      (event) => {
        if ((event.target as Element).closest(selector)) event.stopPropagation();
      },
      true,
    );
  return { default: fallback };
}
