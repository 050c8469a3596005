import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { CharacterCount } from "~/components/forms/character-count";
import { FieldFrame, getAriaProps } from "~/components/forms/field-frame";
import { firstValue, type FormField } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { useFromDocument } from "~/components/forms/use-from-document";
import { useHydrated } from "~/components/forms/use-hydrated";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";

interface Candidate {
  label: string;
  token: string;
  approximate: boolean;
}

interface AddressControlProps {
  field: FormField;
  label: string;
  hint: ReactNode;
  /** The intent of "Find address" for this field. */
  findIntent: string;
  /** The addresses found for the submitted text, to pick from. A single good match is selected. */
  found: { candidates: Candidate[]; selected: boolean } | undefined;
  /** Moves the focus to them. */
  focusFound: boolean;
  /** It could not be looked up: the form says so, and is saved as typed when it is submitted again. */
  unavailable: boolean;
  /** The address that was picked before. */
  pick: Candidate | undefined;
  /** The name that must be shown beside addresses that were found; null for none. */
  attribution: string | null;
  /** For the address on the map: whether the position of the saved address is approximate. */
  placed?: { approximate: boolean };
  limit: number;
}

const DEBOUNCE_MS = 500;
const MIN_TYPED = 3;

/**
 * An address: typed, looked up, and picked from the addresses that were found. The lookup is a button
 * of the form; with JavaScript there are also suggestions while typing. A pick is sealed by the
 * server, so that a form can't make up a position.
 */
export function AddressControl({
  field,
  label,
  hint,
  findIntent,
  found,
  focusFound,
  unavailable,
  pick,
  attribution,
  placed,
  limit,
}: AddressControlProps) {
  const [chosen, setChosen] = useState(pick);
  const [received, setReceived] = useState(pick);
  const [touched, setTouched] = useState(false);
  if (pick?.token !== received?.token) {
    setReceived(pick);
    setChosen(pick);
  }
  const hydrated = useHydrated();
  const group = useRef<HTMLFieldSetElement>(null);
  const foundId = `${field.id}-found`;
  const pickName = `${field.name}_pick`;
  const approximate =
    placed && (chosen ? chosen.approximate : placed.approximate && !touched && !found);

  // With JavaScript the page stays where it is: move the focus to the addresses that were found. Not when script
  // arrives at a page that has them: someone may be typing by then.
  const shown = useRef(found);
  useEffect(() => {
    if (found !== shown.current && focusFound) group.current?.focus();
    shown.current = found;
  }, [found, focusFound]);

  function onType() {
    setTouched(true);
    setChosen(undefined);
  }

  return (
    <div className="address-control">
      <FieldFrame field={field} label={label} hint={hint}>
        <Combobox
          field={field}
          hint={hint}
          label={label}
          limit={limit}
          attribution={attribution}
          onType={onType}
          onRead={(typed) => {
            if (typed !== (firstValue(field.value) ?? "") && typed !== chosen?.label) onType();
          }}
          onChoose={setChosen}
        />
      </FieldFrame>
      <SubmitButton
        variant="quiet"
        name="intent"
        value={findIntent}
        busyText="Searching"
        about={label}
        // Without JavaScript the page loads again: open it at the addresses that were found.
        formAction={hydrated ? undefined : `#${foundId}`}
      >
        Find address
      </SubmitButton>
      {chosen ? (
        <p className="field-success">
          <Icon name="circle-check" />{" "}
          <span>
            Selected: <bdi>{chosen.label}</bdi>
            {/* Beside its label, which the card of the listing shows (live-preview.ts). */}
            <input type="hidden" name={pickName} value={chosen.token} />
          </span>
        </p>
      ) : null}
      {unavailable ? <input type="hidden" name={`${field.name}_as_typed`} value="on" /> : null}
      {approximate ? <p className="hint">{APPROXIMATE}</p> : null}
      {found && !chosen ? (
        <fieldset className="choice-group" id={foundId} ref={group} tabIndex={-1}>
          <legend>Did you mean:</legend>
          <p className="hint">
            Choose one and continue. None of these? Change the address and select “Find address”
            again.
          </p>
          <div className="choices">
            {found.candidates.map(({ label: name, token }, index) => (
              <div key={token} className="choice">
                <input
                  type="radio"
                  className="radio"
                  name={pickName}
                  id={`${field.id}-found-${index}`}
                  value={token}
                  defaultChecked={found.selected}
                />{" "}
                <label htmlFor={`${field.id}-found-${index}`}>{name}</label>
              </div>
            ))}
          </div>
        </fieldset>
      ) : null}
      {chosen || found ? <Attribution to={attribution} /> : null}
    </div>
  );
}

/** Its position is approximate, and its text is not: a street and house number stay as they were typed. */
const APPROXIMATE =
  "We’ll show an approximate location on the map: the center of its street, ZIP code or city. People still see the whole address. Work from home? Enter only your city and state.";

/** Google requires its name, unchanged and untranslated, beside the addresses it found. */
function Attribution({ to }: { to: string | null }) {
  return to === null ? null : (
    <p className="attribution" translate="no">
      {to}
    </p>
  );
}

/**
 * The server's suggestions for a text, after a pause in typing; none if it does not answer. Fetched
 * directly and not through the router, which would reload the page's data after each answer, and
 * would leave the half-typed form if the session had ended.
 */
async function fetchSuggestions(typed: string, signal: AbortSignal): Promise<Candidate[]> {
  try {
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    if (signal.aborted) return [];
    const response = await fetch(paths.addresses(), {
      method: "POST",
      body: new URLSearchParams({ typed }),
      signal,
    });
    return response.ok ? ((await response.json()) as { candidates: Candidate[] }).candidates : [];
  } catch {
    return [];
  }
}

interface ComboboxProps {
  field: FormField;
  label: string;
  hint: ReactNode;
  limit: number;
  attribution: string | null;
  onType: () => void;
  /** Called with the text that is in the field when script runs. */
  onRead: (typed: string) => void;
  onChoose: (candidate: Candidate) => void;
}

/**
 * The text field, with suggestions while typing (the combobox pattern of the ARIA Authoring
 * Practices: list autocomplete with manual selection). It never changes what is being typed.
 */
function Combobox({
  field,
  label,
  hint,
  limit,
  attribution,
  onType,
  onRead,
  onChoose,
}: ComboboxProps) {
  const [candidates, setCandidates] = useState<Candidate[]>([]);
  const hydrated = useHydrated();
  const input = useRef<HTMLInputElement>(null);
  const pendingLookup = useRef<AbortController>(undefined);
  const [open, setOpen] = useState(false);
  const [focused, setFocused] = useState(false);
  const [active, setActive] = useState(-1);
  const [length, setLength] = useState(firstValue(field.value)?.length ?? 0);
  const listId = useId();
  const listed = open && candidates.length > 0;

  useFromDocument(input, ({ value }) => {
    setLength(value.length);
    onRead(value);
  });
  useEffect(() => () => pendingLookup.current?.abort(), []);

  function lookUp(typed: string) {
    setLength(typed.length);
    pendingLookup.current?.abort();
    onType();
    setActive(-1);
    setOpen(false);
    setCandidates([]);
    if (typed.trim().length < MIN_TYPED) return;
    const current = new AbortController();
    pendingLookup.current = current;
    void fetchSuggestions(typed, current.signal).then((found) => {
      if (current.signal.aborted) return;
      setCandidates(found);
      // The list must not open over the next field after the focus has moved there.
      setOpen(document.activeElement === input.current);
    });
  }

  function choose(candidate: Candidate | undefined) {
    if (!candidate) return;
    if (input.current) input.current.value = candidate.label;
    setOpen(false);
    onChoose(candidate);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") setOpen(false);
    // The arrow opens a closed list again.
    if (event.key === "ArrowDown" && candidates.length > 0) setOpen(true);
    else if (!listed) return;
    const last = candidates.length - 1;
    if (event.key === "ArrowDown") setActive(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") setActive(active <= 0 ? last : active - 1);
    else if (event.key === "Enter" && active >= 0) choose(candidates[active]);
    else return;
    event.preventDefault();
  }

  return (
    <div className="combobox">
      <input
        ref={input}
        type="text"
        dir="auto"
        id={field.id}
        name={field.name}
        defaultValue={firstValue(field.value)}
        required={field.required}
        {...getAriaProps(field, hint)}
        className="input"
        // Alone in its section, so that it isn't filled in along with another field: an address for letters isn't for
        // everyone. "off" would not keep Chrome from that. It only keeps the browser's own list from covering ours, and
        // Back from restoring the text.
        autoComplete={focused ? "off" : `section-${field.name} address-line1`}
        {...(hydrated && {
          role: "combobox",
          "aria-autocomplete": "list",
          "aria-expanded": listed,
          "aria-controls": listId,
          "aria-activedescendant": listed && active >= 0 ? `${listId}-${active}` : undefined,
        })}
        onChange={(event) => lookUp(event.target.value)}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setOpen(false);
          setFocused(false);
        }}
      />
      <div className="suggestions" hidden={!listed}>
        <ul id={listId} role="listbox" aria-label={`${label}: suggestions`}>
          {candidates.map((candidate, index) => (
            <li
              key={candidate.token}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              // The focus stays in the field, as it does with the arrow keys.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(candidate);
              }}
            >
              <bdi>{candidate.label}</bdi>
            </li>
          ))}
        </ul>
        <Attribution to={attribution} />
      </div>
      <CharacterCount limit={limit} length={length} />
      <p role="status" className="sr-only">
        {listed ? `${candidates.length} addresses found. Use the arrow keys to choose one.` : ""}
      </p>
    </div>
  );
}
