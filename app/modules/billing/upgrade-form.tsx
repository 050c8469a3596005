import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { paths } from "~/http/paths";
import { isolate } from "~/text/isolate";

import { PaymentTerms } from "./payment-terms";
import type { PaymentTerms as Terms } from "./payment-terms.server";
import { PlanChoice } from "./plan-choice";
import type { UpgradableListing } from "./upgrade.server";

interface UpgradeFormProps {
  form: FormState<"place" | "plan">;
  listings: readonly UpgradableListing[];
  /** How many listings are Featured already. */
  featured: number;
  /** How many can't be upgraded, because no one would see them. */
  leftOut: number;
  terms: Terms;
}

/** Chooses a listing and a plan, and goes to payment; without a listing to upgrade, says what to do. */
export function UpgradeForm({ form, listings, featured, leftOut, terms }: UpgradeFormProps) {
  if (listings.length === 0)
    return leftOut > 0 ? <NoPublicListing /> : featured > 0 ? <AllFeatured /> : <NoListing />;
  const unseen = listings.some(({ isPublic }) => !isPublic);
  return (
    <PostForm form={form} intent="upgrade" unsaved="drop" className="pay">
      <div className="card">
        <SelectField
          field={form.field("place")}
          label="Which listing do you want to feature?"
          placeholder="Choose a listing"
          hint={
            unseen
              ? "If the listing isn’t public yet, it becomes Featured once it is. Its plan starts when you pay."
              : undefined
          }
          options={listings.map(({ id, name, about }) => ({
            value: String(id),
            label: about ? `${isolate(name)} (${isolate(about)})` : isolate(name),
          }))}
        />
        <PlanChoice
          field={form.field("plan")}
          withoutFirstMonth={listings.filter(({ firstMonth }) => !firstMonth)}
          isOffered={listings.some(({ firstMonth }) => firstMonth)}
        />
      </div>
      <SubmitButton className="btn-gold">Continue to payment</SubmitButton>
      <PaymentTerms terms={terms} />
    </PostForm>
  );
}

interface NothingToUpgradeProps {
  title: string;
  text: string;
  to: string;
  label: string;
}

/** In place of the form: why there is nothing to upgrade, and what to do. */
function NothingToUpgrade({ title, text, to, label }: NothingToUpgradeProps) {
  return (
    <div className="card">
      <div className="fields">
        <h2>{title}</h2>
        <p>{text}</p>
        <ButtonLink to={to}>{label}</ButtonLink>
      </div>
    </div>
  );
}

function AllFeatured() {
  return (
    <NothingToUpgrade
      title="All of your listings are Featured"
      text="Thank you for being a Founding Supporter!"
      to={paths.listings()}
      label="Go to your listings"
    />
  );
}

function NoPublicListing() {
  return (
    <NothingToUpgrade
      title="None of your listings can be Featured right now"
      text="You can’t upgrade a listing that’s archived or flagged, or one you’ve asked us to remove."
      to={paths.listings()}
      label="Go to your listings"
    />
  );
}

function NoListing() {
  return (
    <NothingToUpgrade
      title="First, put your organization on the map"
      text="Once you have a listing, you can feature it here."
      to={paths.newListing()}
      label="Add New Listing"
    />
  );
}
