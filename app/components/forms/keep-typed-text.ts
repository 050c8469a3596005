/**
 * Keeps what was typed into a text area before React took over the page, and the place in it. React 18 sets each text
 * area that the server sent with a text back to that text then (its postMountWrapper for a textarea, unlike that for
 * an input). From now on, that one call for each text area is ignored. Does nothing on the server.
 */
export function keepTypedText(): void {
  if (typeof HTMLTextAreaElement === "undefined") return;
  const { prototype } = HTMLTextAreaElement;
  const native = Object.getOwnPropertyDescriptor(prototype, "value")!;
  const started = new WeakSet<HTMLTextAreaElement>();
  Object.defineProperty(prototype, "value", {
    ...native,
    set(this: HTMLTextAreaElement, text: string) {
      if (text === this.defaultValue && !started.has(this)) started.add(this);
      else native.set!.call(this, text);
    },
  });
}
