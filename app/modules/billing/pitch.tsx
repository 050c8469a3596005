import type { ReactNode } from "react";

import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import type { IconName } from "~/components/ui/icon-names";

interface PitchProps {
  /** What is sold, above the title. */
  kicker: string;
  icon: IconName;
  /** One sentence. */
  title: string;
  /** The offer, in a sentence or two. */
  children: ReactNode;
  /** The price, the amount in <strong>. */
  price: ReactNode;
  /** Where the one button leads. */
  to: string;
  button: string;
  /** Beside the button, in a few words. */
  note?: string;
  /** The other column: what is in it, or someone's words about it. */
  proof: ReactNode;
}

/** Something we sell, on the night background: one sentence, the offer, the price, one button, and the proof. */
export function Pitch({
  kicker,
  icon,
  title,
  children,
  price,
  to,
  button,
  note,
  proof,
}: PitchProps) {
  return (
    <section className="night pitch" aria-labelledby="pitch">
      <div>
        <p className="kicker">
          <Icon name={icon} /> {kicker}
        </p>
        <h2 id="pitch">{title}</h2>
        <p>{children}</p>
        <p className="price">{price}</p>
        <div className="buttons">
          <ButtonLink className="btn-gold" to={to}>
            {button}
          </ButtonLink>
          {note}
        </div>
      </div>
      <div className="proof">{proof}</div>
    </section>
  );
}

/** A list of what is in an offer. */
export function Benefits({ benefits }: { benefits: readonly string[] }) {
  return (
    <ul className="benefits">
      {benefits.map((benefit) => (
        <li key={benefit}>
          <Icon name="check" />
          {benefit}
        </li>
      ))}
    </ul>
  );
}
