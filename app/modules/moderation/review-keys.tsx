import { useNavigation } from "@remix-run/react";
import { useEffect, useRef, useSyncExternalStore } from "react";

import { useHydrated } from "~/components/forms/use-hydrated";
import { Button } from "~/components/ui/button";

/** What each key presses: the page's own links and buttons, so that a key can do no more than they. */
const KEYS: readonly { key: string; words: string; presses: string }[] = [
  { key: "j", words: "Look at the next listing", presses: 'a[rel="next"]' },
  { key: "k", words: "Look at the previous listing", presses: 'a[rel="prev"]' },
  { key: "a", words: "Approve and next", presses: '#decide button[value="approve"]' },
  {
    key: "x",
    words: "Skip: leave it as it is, and review the next",
    presses: '#decide button[value="skip"]',
  },
  { key: "?", words: "Show or hide this help", presses: "#keys > summary" },
];

/** A listing has to have been in sight so long: a key pressed twice must not approve what nobody has seen. */
const SEEN_AFTER_MS = 700;
const SWITCH = "review-keys";
const CHANGED = "review-keys-changed";

function listen(changed: () => void) {
  window.addEventListener(CHANGED, changed);
  return () => window.removeEventListener(CHANGED, changed);
}

/** Whether this browser wants the keys. Where nothing can be stored they are on, and stay on. */
function wanted(): boolean {
  try {
    return localStorage.getItem(SWITCH) !== "off";
  } catch {
    return true;
  }
}

function want(on: boolean) {
  try {
    localStorage.setItem(SWITCH, on ? "on" : "off");
  } catch {
    // Private windows of some browsers store nothing.
  }
  window.dispatchEvent(new Event(CHANGED));
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest("input, textarea, select, [role=textbox], dialog") !== null);

/**
 * Single keys for those who clear a long queue, and the panel that tells of them. Only where script runs; never while
 * somebody types, holds another key, or keeps one pressed; and they can be switched off.
 * @param listing the id of the listing in sight
 */
export function ReviewKeys({ listing }: { listing: number }) {
  const hydrated = useHydrated();
  const on = useSyncExternalStore(listen, wanted, () => true);
  const idle = useNavigation().state === "idle";
  const since = useRef(0);

  useEffect(() => {
    since.current = performance.now();
  }, [listing]);

  useEffect(() => {
    if (!on || !idle) return;
    function press(event: KeyboardEvent) {
      if (
        event.defaultPrevented ||
        event.repeat ||
        event.ctrlKey ||
        event.altKey ||
        event.metaKey ||
        isTyping(event.target)
      )
        return;
      const known = KEYS.find(({ key }) => key === event.key);
      if (!known || performance.now() - since.current < SEEN_AFTER_MS) return;
      const pressed = document.querySelector<HTMLElement>(known.presses);
      if (!pressed) return;
      event.preventDefault();
      pressed.click();
      if (known.key === "?") pressed.focus();
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [on, idle]);

  if (!hydrated) return null;
  return (
    <details id="keys">
      <summary>Keyboard keys</summary>
      <dl className="details-list max-w-3xl">
        {KEYS.map(({ key, words }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <p className="hint mb-2">
        {on ? "They do nothing while you type." : "They are switched off in this browser."}
      </p>
      <Button variant="quiet" onClick={() => want(!on)}>
        {on ? "Switch the keys off" : "Switch the keys on"}
      </Button>
    </details>
  );
}
