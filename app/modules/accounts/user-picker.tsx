import { firstValue, type FormField } from "~/components/forms/form-state";
import { RadioGroup } from "~/components/forms/radio-group";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

/** Somebody with an account, as far as it takes to tell them from others of the same name. */
export interface UserSummary {
  id: string;
  name: string | null;
  /** Masked. */
  email: string | null;
  pronouns?: string | null;
  /** When the account was made. */
  since?: string;
}

interface UserPickerProps {
  /** The choice: somebody's id, or nothing for nobody. */
  field: FormField;
  /** The text to search for. It is not saved. */
  search: FormField;
  legend: string;
  hint?: string;
  /** The intent of "Find person", which gives the form back with who was found. */
  findIntent: string;
  /** Who it is as saved. */
  current: UserSummary | null;
  /** Who was found for the text as it was sent; undefined when nobody was looked for. */
  found: UserSummary[] | undefined;
  /** The words for nobody. */
  nobody?: string;
}

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** A name to show where somebody has given none. */
export const getDisplayName = ({ name }: Pick<UserSummary, "name">) => name ?? "No name given";

/** What tells somebody from others of the same name, and the way to all that is known of them. */
function AboutPerson({ person }: { person: UserSummary }) {
  const told = [
    person.email,
    person.pronouns,
    person.since && `joined ${day.format(new Date(person.since))}`,
  ];
  return (
    <>
      {told.map((words) => (words ? `${words} · ` : ""))}
      <TextLink to={paths.adminUser(person.id)} about={getDisplayName(person)}>
        View profile
      </TextLink>
    </>
  );
}

/**
 * Chooses a person within a form: who it is, nobody, or one of those found by name or e-mail. The search
 * is a button of the same form, so that it works without script and nothing typed elsewhere is lost.
 */
export function UserPicker({
  field,
  search,
  legend,
  hint,
  findIntent,
  current,
  found,
  nobody = "Nobody",
}: UserPickerProps) {
  const people = [
    ...(current ? [current] : []),
    ...(found ?? []).filter(({ id }) => id !== current?.id),
  ];
  const looked = firstValue(search.value) ?? "";
  return (
    <div className="fields">
      <div>
        <TextField
          field={search}
          type="search"
          label={`${legend}: find a person by name or e-mail`}
          autoComplete="off"
        />
        <p role="status" className="hint">
          {found &&
            (found.length === 0
              ? `Nobody was found for “${looked}”.`
              : `Found: ${found.length}. Choose below who it is.`)}
        </p>
        <SubmitButton
          variant="quiet"
          name="intent"
          value={findIntent}
          busyText="Looking"
          about={legend}
        >
          Find person
        </SubmitButton>
      </div>
      <RadioGroup
        // Drawn anew for other people: a choice that is no longer offered must not stay chosen.
        key={people.map(({ id }) => id).join()}
        field={field}
        legend={legend}
        hint={hint}
        options={[
          ...people.map((person) => ({
            value: person.id,
            label: getDisplayName(person),
            hint: <AboutPerson person={person} />,
          })),
          { value: "", label: nobody },
        ]}
      />
    </div>
  );
}
