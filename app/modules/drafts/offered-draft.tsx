import { lazyPart } from "~/components/layout/lazy-part";

// Few people see it, and the others need not load its code.
export const DraftOffers = lazyPart("draft-offers", () => import("./draft-offers"));

interface OfferedDraftProps {
  /** The draft; null when there is none. */
  offered: { id: string; savedAt: string } | null;
  /** The path of the form's page. */
  page: string;
}

/** Offers the draft of a form, if there is one. */
export function OfferedDraft({ offered, page }: OfferedDraftProps) {
  return offered === null ? null : <DraftOffers of="changes" drafts={[offered]} page={page} />;
}
