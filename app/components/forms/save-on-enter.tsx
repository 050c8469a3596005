/**
 * Enter in a text field activates a form's first button, which must be the one that saves. This one is first, and is
 * not seen. It has no text, which text browsers would show a second time.
 */
export function SaveOnEnter() {
  return (
    <button
      type="submit"
      name="intent"
      value="save"
      className="sr-only"
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
