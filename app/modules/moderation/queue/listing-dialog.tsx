import { useFetcher } from "@remix-run/react";
import { useEffect, useRef } from "react";

import { QuickExit } from "~/components/layout/quick-exit";
import { Button } from "~/components/ui/button";

import { ListingActions, ListingFacts, type DetailsData } from "../review/listing-details";

interface ListingDialogProps {
  /** The URL of the listing's details page, which has the same content. */
  path: string;
  onClose: () => void;
}

/** The details of a listing over the table, which keeps its scroll position and its selection. */
export function ListingDialog({ path, onClose }: ListingDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { load, data } = useFetcher<DetailsData>();

  useEffect(() => {
    dialog.current?.showModal();
    // It stays when the content arrives, and the buttons do not.
    heading.current?.focus();
    load(path);
  }, [path, load]);

  const close = (
    <Button variant="quiet" onClick={() => dialog.current?.close()}>
      Close
    </Button>
  );
  return (
    <dialog ref={dialog} className="overlay" aria-labelledby="listing-dialog" onClose={onClose}>
      <div className="card">
        {/* The page’s own "Leave quickly" can’t be pressed while the dialog is open. */}
        <div className="card-head">
          <h2 id="listing-dialog" ref={heading} tabIndex={-1} dir="auto" aria-live="polite">
            {data?.listing.name ?? "Loading"}
          </h2>
          <QuickExit />
        </div>
        {data ? (
          <>
            <ListingFacts listing={data.listing} />
            <ListingActions {...data} close={close} />
          </>
        ) : (
          <div className="buttons">{close}</div>
        )}
      </div>
    </dialog>
  );
}
