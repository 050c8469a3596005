import { ChoiceGroup } from "~/components/forms/choice-group";
import type { ChoiceGroupProps } from "~/components/forms/choice-group";

/** A group of checkboxes. Each checked value is sent with the field's name. */
export function CheckboxGroup(props: ChoiceGroupProps) {
  return <ChoiceGroup {...props} type="checkbox" />;
}
