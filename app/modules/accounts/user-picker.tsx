import { Fragment } from "react";

import { firstValue, type FormField } from "~/components/forms/form-state";
import { RadioGroup } from "~/components/forms/radio-group";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDate } from "~/text/dates";
import { isolate } from "~/text/isolate";

/** A user, with what distinguishes them from others with the same name. */
export interface UserSummary {
  id: string;
  name: string | null;
  /** Masked. */
  email: string | null;
  pronouns?: string | null;
  /** When the account was created. */
  since?: string;
  /** Whether they have shown that the address is theirs. */
  confirmed?: boolean;
  /** Whether the address is exactly the one that was searched for. */
  hasAddress?: boolean;
}

interface UserPickerProps {
  /** The selected user's id; "" for no one. */
  field: FormField;
  /** The search text. It is not saved. */
  search: FormField;
  legend: string;
  hint?: string;
  /** The intent of "Find person", which returns the form with the users that were found. */
  findIntent: string;
  /** The saved user. */
  current: UserSummary | null;
  /** The users found for the search text; undefined without a search. */
  found: UserSummary[] | undefined;
  /** The label of the option for no one. */
  noneLabel?: string;
}

/** The name of a user, or a text for a user without one. */
const getDisplayName = ({ name }: Pick<UserSummary, "name">) => name ?? "No name given";

/**
 * What distinguishes a user from others with the same name, and a link to their page. What users write about themselves
 * comes last and with a label: it must not look like something that we say about them.
 * @param searched whether the search was for an email address, and found them
 */
function UserDetails({ user, searched }: { user: UserSummary; searched: boolean }) {
  const details = [
    user.email,
    user.since && `joined ${formatDate(user.since)}`,
    user.pronouns && `Pronouns: ${isolate(user.pronouns)}`,
  ];
  return (
    <>
      {user.confirmed === false ? (
        <>
          <strong>Not confirmed. This may be someone else using their name.</strong>{" "}
        </>
      ) : null}
      {searched ? (
        <>
          <strong>
            {user.hasAddress
              ? "This is an exact match for your search."
              : "This isn’t the email address you searched for."}
          </strong>{" "}
        </>
      ) : null}
      {details.map((text, index) =>
        text ? (
          <Fragment key={index}>
            <bdi>{text}</bdi>
            {", "}
          </Fragment>
        ) : null,
      )}
      <TextLink to={paths.adminUser(user.id)} about={getDisplayName(user)}>
        View profile
      </TextLink>
    </>
  );
}

/**
 * Selects a user within a form: the saved one, no one, or one found by name or email. The search is
 * a button of the same form, so that it works without script and nothing typed elsewhere is lost.
 */
export function UserPicker({
  field,
  search,
  legend,
  hint,
  findIntent,
  current,
  found,
  noneLabel = "No one",
}: UserPickerProps) {
  const users = [
    ...(current ? [current] : []),
    ...(found ?? []).filter(({ id }) => id !== current?.id),
  ];
  const searchText = firstValue(search.value) ?? "";
  return (
    <div className="fields">
      <div>
        <TextField
          field={search}
          type="search"
          label={`${legend}: search by name or email`}
          hint="Several people can have the same name. Search for the full email address to be sure."
          autoComplete="off"
        />
        <p role="status" className="hint">
          {found &&
            (found.length === 0
              ? `No one found for “${isolate(searchText)}”.`
              : `${found.length} found. Choose the right person below.`)}
        </p>
        <p className="mt-2">
          <SubmitButton
            variant="quiet"
            name="intent"
            value={findIntent}
            busyText="Searching"
            about={legend}
          >
            Find person
          </SubmitButton>
        </p>
      </div>
      <RadioGroup
        // The key replaces the radio buttons when the users change: a user that is no longer listed
        // must not stay selected.
        key={users.map(({ id }) => id).join()}
        field={field}
        legend={legend}
        hint={hint}
        options={[
          ...users.map((user) => ({
            value: user.id,
            label: <bdi>{getDisplayName(user)}</bdi>,
            hint: (
              <UserDetails
                user={user}
                searched={user.hasAddress !== undefined && searchText.includes("@")}
              />
            ),
          })),
          { value: "", label: noneLabel },
        ]}
      />
    </div>
  );
}
