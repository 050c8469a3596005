import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import { FieldFrame, ariaOf } from "~/components/forms/field-frame";
import { single, type FormField } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";

interface Candidate {
  label: string;
  token: string;
}

interface AddressControlProps {
  field: FormField;
  label: string;
  hint: string;
  /** The intent of "Find address" for this field. */
  findIntent: string;
  /** What the server found for the text as it was sent, to choose from. */
  found: Candidate[] | undefined;
  /** The address chosen before. */
  pick: Candidate | undefined;
  optional?: boolean;
}

const DEBOUNCE_MS = 500;
const LEAST_TYPED = 3;

/**
 * An address: typed, looked up, and chosen from what was found. Without script by the button, on the
 * same form; with script also while typing. The choice travels sealed, so that nobody invents a place.
 */
export function AddressControl({ field, label, hint, findIntent, found, pick, optional }: AddressControlProps) {
  const [chosen, setChosen] = useState(pick);
  const [sent, setSent] = useState(pick);
  if (pick?.token !== sent?.token) {
    setSent(pick);
    setChosen(pick);
  }
  const pickName = `${field.name}_pick`;

  return (
    <div className="address-control">
      <FieldFrame field={field} label={label} hint={hint} optional={optional}>
        <Combobox field={field} hint={hint} label={label} onType={() => setChosen(undefined)} onChoose={setChosen} />
      </FieldFrame>
      <SubmitButton variant="quiet" name="intent" value={findIntent} busyText="Looking" about={label}>
        Find address
      </SubmitButton>
      {chosen ? (
        <p className="field-success">
          <Icon name="circle-check" /> Chosen: {chosen.label}
          <input type="hidden" name={pickName} value={chosen.token} />
        </p>
      ) : null}
      {found && !chosen ? (
        <fieldset className="choice-group" id={`${field.id}-found`}>
          <legend>Which one is it?</legend>
          <p className="hint">Choose one, then go on with the form. If none is right, change the address and press “Find address” again.</p>
          <div className="choices">
            {found.map(({ label: name, token }, index) => (
              <div key={token} className="choice">
                <input type="radio" className="radio" name={pickName} id={`${field.id}-found-${index}`} value={token} />
                <label htmlFor={`${field.id}-found-${index}`}>{name}</label>
              </div>
            ))}
          </div>
        </fieldset>
      ) : null}
    </div>
  );
}

/**
 * What the server suggests for a text that has rested for a moment; none when it does not answer. Asked
 * by itself and not through the router, which would load the page anew after each answer, and leave
 * the half-typed form when the session has ended meanwhile.
 */
async function suggestions(typed: string, signal: AbortSignal): Promise<Candidate[]> {
  try {
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    if (signal.aborted) return [];
    const response = await fetch(paths.addresses(), { method: "POST", body: new URLSearchParams({ typed }), signal });
    return response.ok ? ((await response.json()) as { candidates: Candidate[] }).candidates : [];
  } catch {
    return [];
  }
}

interface ComboboxProps {
  field: FormField;
  label: string;
  hint: string;
  onType: () => void;
  onChoose: (candidate: Candidate) => void;
}

/**
 * The text itself, with suggestions while typing where script runs (the combobox pattern of the ARIA
 * Authoring Practices, list autocomplete with manual selection). It never changes what is being typed.
 */
function Combobox({ field, label, hint, onType, onChoose }: ComboboxProps) {
  const [candidates, setCandidates] = useState<Candidate[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const lookUpLater = useRef<AbortController>(undefined);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const listId = useId();
  const listed = open && candidates.length > 0;

  useEffect(() => () => lookUpLater.current?.abort(), []);

  function lookUp(typed: string) {
    lookUpLater.current?.abort();
    onType();
    setActive(-1);
    setOpen(false);
    setCandidates([]);
    if (typed.trim().length < LEAST_TYPED) return;
    const current = new AbortController();
    lookUpLater.current = current;
    void suggestions(typed, current.signal).then((found) => {
      if (current.signal.aborted) return;
      setCandidates(found);
      setOpen(true);
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
    // The list may have been left, or closed: the arrow opens it again.
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
        id={field.id}
        name={field.name}
        defaultValue={single(field.value)}
        required={field.required}
        {...ariaOf(field, hint)}
        className="input"
        autoComplete="off"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={listed}
        aria-controls={listId}
        aria-activedescendant={listed && active >= 0 ? `${listId}-${active}` : undefined}
        onChange={(event) => lookUp(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <ul id={listId} role="listbox" aria-label={`${label}: suggestions`} hidden={!listed}>
        {candidates.map((candidate, index) => (
          <li
            key={candidate.token}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            // Before the field loses the focus, which closes the list.
            onMouseDown={() => choose(candidate)}
          >
            {candidate.label}
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {listed ? `${candidates.length} addresses found. Choose one with the arrow keys.` : ""}
      </p>
    </div>
  );
}
