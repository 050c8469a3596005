import { ChoiceGroup } from "~/components/forms/choice-group";
import type { ChoiceGroupProps } from "~/components/forms/choice-group";

/** A group of radio buttons. */
export function RadioGroup(props: ChoiceGroupProps) {
  return <ChoiceGroup {...props} type="radio" />;
}
