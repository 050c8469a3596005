import { ChoiceGroup } from "~/components/forms/choice-group";
import type { ChoiceGroupProps } from "~/components/forms/choice-group";

/** One of a few choices, all in sight. */
export function RadioGroup(props: ChoiceGroupProps) {
  return <ChoiceGroup {...props} type="radio" />;
}
