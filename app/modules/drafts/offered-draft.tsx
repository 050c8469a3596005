import { lazyPart } from "~/components/layout/lazy-part";

// Few see it, and the others need not load its code.
const DraftOffer = lazyPart("draft-offer", () => import("./draft-offer"));

interface OfferedDraftProps {
  /** The draft; null when there is none. */
  offered: { id: string; savedAt: string } | null;
  /** The path of the form's page. */
  page: string;
}

/** Offers the draft of a form, if there is one. */
export function OfferedDraft({ offered, page }: OfferedDraftProps) {
  return offered === null ? null : <DraftOffer {...offered} page={page} />;
}
