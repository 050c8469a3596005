import { useNavigation } from "@remix-run/react";
import { useEffect, useRef, useSyncExternalStore } from "react";

import { useHydrated } from "~/components/forms/use-hydrated";
import { Button } from "~/components/ui/button";

/**
 * Each key, with the link or button of the page that it clicks, so that a key can do nothing that
 * the page can't.
 */
const SHORTCUTS: readonly { key: string; text: string; clicks: string }[] = [
  { key: "j", text: "Next in queue", clicks: 'a[rel="next"]' },
  { key: "k", text: "Previous in queue", clicks: 'a[rel="prev"]' },
  { key: "a", text: "Approve and next", clicks: '#decide button[value="approve"]' },
  {
    key: "x",
    text: "Skip to the next one you can approve",
    clicks: '#decide button[value="skip"]',
  },
  { key: "c", text: "Request changes", clicks: "#request-changes > summary" },
  { key: "r", text: "Reject the edit", clicks: "#reject > summary" },
  { key: "?", text: "Show or hide this help", clicks: "#keys > summary" },
];

/** How long a listing must be visible: a key pressed twice must not approve an unseen listing, or version. */
const MIN_VISIBLE_MS = 700;
const STORAGE_KEY = "review-keys";
const CHANGE_EVENT = "review-keys-changed";

function subscribe(onChange: () => void) {
  window.addEventListener(CHANGE_EVENT, onChange);
  return () => window.removeEventListener(CHANGE_EVENT, onChange);
}

/** Whether the shortcuts are on in this browser. Where nothing can be stored, they are on. */
function isEnabled(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true;
  }
}

function setEnabled(enabled: boolean) {
  try {
    localStorage.setItem(STORAGE_KEY, enabled ? "on" : "off");
  } catch {
    // Private windows of some browsers store nothing.
  }
  window.dispatchEvent(new Event(CHANGE_EVENT));
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest("input, textarea, select, [role=textbox], dialog") !== null);

/**
 * Keyboard shortcuts for admins who review a long queue, and the panel that lists them. They need
 * script; do nothing while the admin types, holds a modifier, or holds a key down; and can be turned
 * off.
 * @param version of the listing on the page; another listing is another page
 */
export function KeyboardShortcuts({ version }: { version: number }) {
  const hydrated = useHydrated();
  const enabled = useSyncExternalStore(subscribe, isEnabled, () => true);
  const idle = useNavigation().state === "idle";
  const visibleSince = useRef(0);

  useEffect(() => {
    visibleSince.current = performance.now();
  }, [version]);

  useEffect(() => {
    if (!enabled || !idle) return;
    function handleKey(event: KeyboardEvent) {
      if (
        event.defaultPrevented ||
        event.repeat ||
        event.ctrlKey ||
        event.altKey ||
        event.metaKey ||
        isTyping(event.target)
      )
        return;
      const shortcut = SHORTCUTS.find(({ key }) => key === event.key);
      if (!shortcut || performance.now() - visibleSince.current < MIN_VISIBLE_MS) return;
      const target = document.querySelector<HTMLElement>(shortcut.clicks);
      if (!target) return;
      event.preventDefault();
      target.click();
      if (target.matches("summary")) target.focus();
    }
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, [enabled, idle]);

  if (!hydrated)
    return (
      <details className="awaits-script">
        <summary>&nbsp;</summary>
      </details>
    );
  return (
    <details id="keys">
      <summary>Keyboard shortcuts</summary>
      <dl className="details-list measure">
        {SHORTCUTS.map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="hint mb-2">
        {enabled ? "These don’t work while you’re typing." : "These are off in this browser."}
      </p>
      <Button variant="quiet" onClick={() => setEnabled(!enabled)}>
        {enabled ? "Turn shortcuts off" : "Turn shortcuts on"}
      </Button>
    </details>
  );
}
