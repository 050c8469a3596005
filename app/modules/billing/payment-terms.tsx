import { TextLink } from "~/components/ui/text-link";

import type { PaymentTerms as Terms } from "./payment-terms.server";

/** Beside a button that leads to a payment: who is paid, whether it renews, and when it is refunded. */
export function PaymentTerms({ terms: { text, url } }: { terms: Terms }) {
  return (
    <p className="hint measure">
      {text} {url === null ? null : <TextLink href={url}>Read our terms</TextLink>}
    </p>
  );
}
