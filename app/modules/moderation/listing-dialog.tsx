import { useFetcher } from "@remix-run/react";
import { useEffect, useRef } from "react";

import { Button } from "~/components/ui/button";

import { ListingActions, ListingFacts, type DetailsData } from "./listing-details";

interface ListingDialogProps {
  /** The page of the listing's details: the dialog shows what it shows. */
  address: string;
  onClose: () => void;
}

/** The details of a listing over the table, so that its place and what is ticked in it stay. */
export function ListingDialog({ address, onClose }: ListingDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { load, data } = useFetcher<DetailsData>();

  useEffect(() => {
    dialog.current?.showModal();
    load(address);
  }, [address, load]);

  const close = (
    <Button variant="quiet" onClick={() => dialog.current?.close()}>
      Close
    </Button>
  );
  return (
    <dialog ref={dialog} className="overlay" aria-labelledby="listing-dialog" onClose={onClose}>
      <div className="card">
        <h2 id="listing-dialog">{data?.listing.name ?? "Loading"}</h2>
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
