import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";

import { PlanChoice } from "./plan-choice";
import type { Upgradable } from "./upgrade.server";

interface UpgradeFormProps {
  form: FormState<"place" | "plan">;
  listings: readonly Upgradable[];
}

/** Chooses a listing and a plan, and goes to pay. What is wrong with it stands at the top of its page. */
export function UpgradeForm({ form, listings }: UpgradeFormProps) {
  return (
    <PostForm form={form} intent="upgrade" className="upgrade-form">
      <SelectField
        field={form.field("place")}
        label="Which listing is to be featured?"
        placeholder="Choose a listing"
        options={listings.map(({ id, name, where }) => ({
          value: String(id),
          label: where ? `${name} (${where})` : name,
        }))}
      />
      <PlanChoice field={form.field("plan")} />
      <div>
        <SubmitButton>Continue to payment</SubmitButton>
        <p className="hint">
          You pay on the page of our payment provider, Stripe, which learns your e-mail address and
          the plan. Cancel whenever you like, with “Manage billing” on the listing’s card: it stays
          Featured until the time you paid for is over.
        </p>
      </div>
    </PostForm>
  );
}
