import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Button, ButtonLink, type ButtonVariant } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";

import { LONG_NAME, type PartProps, Row } from "./samples";

const VARIANTS: readonly ButtonVariant[] = ["primary", "quiet", "danger", "link"];

/** The four ranks of buttons, as buttons, links, and while a form is sent; and the icons. */
export function Buttons({ icons }: PartProps) {
  return (
    <>
      <Row of="Buttons: primary, quiet, danger, link">
        {VARIANTS.map((variant) => (
          <Button key={variant} variant={variant}>
            Approve 15 listings
          </Button>
        ))}
      </Row>
      <Row of="The same as links">
        {VARIANTS.map((variant) => (
          <ButtonLink key={variant} variant={variant} to="/design">
            Update payment
          </ButtonLink>
        ))}
      </Row>
      <Row of="While the form is sent">
        {VARIANTS.map((variant) => (
          <Button key={variant} variant={variant} aria-disabled>
            Saving
          </Button>
        ))}
      </Row>
      <Row of="With an icon, and with a long name">
        <Button variant="primary">
          <Icon name="check" /> Approve
        </Button>
        <Button variant="quiet">
          <Icon name="pencil" /> Edit {LONG_NAME}
        </Button>
      </Row>
      <PostForm intent="none" action="/design">
        <Row of="The buttons of a form">
          <SubmitButton>Save</SubmitButton>
          <ButtonLink variant="quiet" to="/design">
            Cancel
          </ButtonLink>
        </Row>
      </PostForm>
      <div className="night">
        <Button className="btn-gold">On the night background</Button>
      </div>
      <Row of="Icons">
        {icons.map((name) => (
          <Icon key={name} name={name} label={name} />
        ))}
      </Row>
    </>
  );
}
