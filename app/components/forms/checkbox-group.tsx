import { ChoiceGroup } from "~/components/forms/choice-group";
import type { ChoiceGroupProps } from "~/components/forms/choice-group";

/** Any number of several choices; each ticked one is sent under the field's name. */
export function CheckboxGroup(props: ChoiceGroupProps) {
  return <ChoiceGroup {...props} type="checkbox" />;
}
