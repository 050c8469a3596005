import { VersionForm } from "~/components/layout/version-form";
import { useLightVersion } from "~/http/light-version";

/** The end of every page: the way to the light version, and back. */
export function PageFooter() {
  return (
    <footer>
      {useLightVersion() ? "You’re saving data. " : "Slow connection? "}
      <VersionForm variant="link" />
    </footer>
  );
}
