/** Where unsaved.ts says that a form's draft was saved. Empty until then, and without script. */
export function DraftStatus() {
  return <p role="status" className="hint" data-draft-status="" />;
}
