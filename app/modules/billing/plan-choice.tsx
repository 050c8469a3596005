import { FieldErrors } from "~/components/forms/field-frame";
import { firstValue, type FormField } from "~/components/forms/form-state";
import { Badge } from "~/components/ui/badge";
import { isolate } from "~/text/isolate";
import { listWords } from "~/text/list-words";

import { PlanPrice } from "./featured-offer";
import {
  BIPOC_MONTHLY,
  FEATURED_PLANS,
  FIRST_MONTH_CENTS,
  formatDollars,
  type FeaturedPlan,
} from "./prices";

const RECOMMENDED = FEATURED_PLANS.find(({ recommended }) => recommended)!.id;

interface PlanChoiceProps {
  field: FormField;
  /** Whether the first month has its lower price for any of the listings. */
  isOffered: boolean;
  /** The listings whose first month does not have it. */
  withoutFirstMonth: readonly { name: string }[];
}

function withoutOffer({ firstCents: _, ...plan }: FeaturedPlan): FeaturedPlan {
  return plan;
}

/** Says for which listings the first month costs as much as any other. */
function explainFirstMonth(
  isOffered: boolean,
  without: readonly { name: string }[],
): string | null {
  if (without.length === 0) return null;
  const once = `Each account and each listing can have the ${formatDollars(FIRST_MONTH_CENTS)} first month once`;
  return isOffered
    ? `${once}. It’s been used for ${listWords(without.map(({ name }) => isolate(name)))}.`
    : `${once}, and it’s been used. Your first month is at the regular price.`;
}

/** The plans to choose from, with their prices. The recommended one is selected at first. */
export function PlanChoice({ field, isOffered, withoutFirstMonth }: PlanChoiceProps) {
  const firstMonth = explainFirstMonth(isOffered, withoutFirstMonth);
  const chosen = firstValue(field.value) ?? RECOMMENDED;
  const radio = (plan: string, index: number) => {
    const id = index === 0 ? field.id : `${field.id}-${index}`;
    const input = {
      type: "radio",
      id,
      name: field.name,
      value: plan,
      className: "radio",
      defaultChecked: chosen === plan,
    } as const;
    return {
      id,
      about: `${id}-about`,
      input: <input {...input} aria-describedby={`${id}-about`} />,
    };
  };
  const reduced = radio(BIPOC_MONTHLY.id, FEATURED_PLANS.length);
  return (
    <fieldset className="plan-choice" aria-describedby={field.errors && field.errorId}>
      <legend>Choose your plan</legend>
      <FieldErrors field={field} />
      <div className="plans mt-2">
        {FEATURED_PLANS.map((plan, index) => {
          const { id, about, input } = radio(plan.id, index);
          return (
            <div key={plan.id} className="plan">
              {input}
              <div>
                <label htmlFor={id}>{plan.name}</label>
                {plan.recommended ? <Badge tone="featured">Recommended</Badge> : null}
              </div>
              <div id={about} className="about">
                <PlanPrice plan={isOffered ? plan : withoutOffer(plan)} />
              </div>
            </div>
          );
        })}
        <div className="plan">
          {reduced.input}
          <div>
            <label htmlFor={reduced.id}>
              We’re owned by Black, Indigenous or other people of color
            </label>
          </div>
          <div id={reduced.about} className="about">
            <p className="price">
              <strong>{formatDollars(BIPOC_MONTHLY.cents)}</strong> a month
            </p>
            <p>
              Month to month, and every month costs the same. We take your word for it, and we never
              tell our payment provider why you pay less.
            </p>
          </div>
        </div>
      </div>
      {firstMonth === null ? null : <p className="hint mt-2">{firstMonth}</p>}
    </fieldset>
  );
}
