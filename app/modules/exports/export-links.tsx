import { TextLink } from "~/components/ui/text-link";

interface ExportLinksProps {
  /** What is downloaded, unique on the page: "users". */
  what: string;
  /** The download of the list as it is narrowed down now. */
  csv: string;
  /** Where it is asked for with contact details, when it holds any. */
  whole?: string;
}

/** The ways to take a list along, all pages of it, under its current filter. */
export function ExportLinks({ what, csv, whole }: ExportLinksProps) {
  return (
    <p className="links">
      <TextLink href={csv} about={what}>
        Download as CSV
      </TextLink>
      {whole === undefined ? null : (
        <TextLink to={whole} about={what}>
          With contact details
        </TextLink>
      )}
    </p>
  );
}
