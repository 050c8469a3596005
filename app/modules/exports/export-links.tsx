import { TextLink } from "~/components/ui/text-link";

interface ExportLinksProps {
  /** The name of the list, unique on the page: "users". */
  what: string;
  /** The URL of the download, with the filter of the page. */
  csv: string;
  /** The URL of the confirmation for an export with contact details, when the list has any. */
  whole?: string;
}

/** Links that export a list, all pages of it, with its current filter. */
export function ExportLinks({ what, csv, whole }: ExportLinksProps) {
  return (
    <p className="links screen-only">
      <TextLink href={csv} about={what}>
        Download as CSV
      </TextLink>{" "}
      {whole === undefined ? null : (
        <TextLink to={whole} about={what}>
          Download with contact details
        </TextLink>
      )}
    </p>
  );
}
