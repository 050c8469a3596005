import { Notice } from "~/components/ui/notice";

/** What the last action has to say, shown once on the page after it. */
export interface Flash {
  tone: "success" | "info" | "problem";
  text: string;
}

/** The region is always there, so that a message which arrives later is read out; it takes no room when empty. */
export function FlashMessage({ flash }: { flash?: Flash | null }) {
  return (
    <div role="status">
      {flash ? (
        <div className="flash">
          <Notice tone={flash.tone}>{flash.text}</Notice>
        </div>
      ) : null}
    </div>
  );
}
