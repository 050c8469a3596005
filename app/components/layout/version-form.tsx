import { useLocation } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import type { ButtonVariant } from "~/components/ui/button";
import { useLightVersion } from "~/http/light-version";
import { paths } from "~/http/paths";

/** Switches between the light version, which has no script, and the full one. Loads a document, with script or without. */
export function VersionForm({ variant }: { variant: ButtonVariant }) {
  const light = useLightVersion();
  const { pathname, search } = useLocation();
  return (
    <PostForm action={paths.version()} reloadDocument>
      <input type="hidden" name="return_to" value={`${pathname}${search}`} />
      <SubmitButton variant={variant} name="version" value={light ? "full" : "light"}>
        {light ? "Full version" : "Light version"}
      </SubmitButton>
    </PostForm>
  );
}
