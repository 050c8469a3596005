import { TextLink } from "~/components/ui/text-link";
import { DateText, RecordTimeText, TimestampText } from "~/components/ui/date-text";
import { Logo } from "~/components/ui/logo";
import { LongText } from "~/components/ui/long-text";
import { PageHeader } from "~/components/ui/page-header";

import { LONG_NAME, LONG_TEXT, OTHER_SCRIPT, Row } from "./samples";

const AT = "2026-11-03T14:05:00Z";

/** Headings, text, links, and times. */
export function Type() {
  return (
    <>
      <Row of="Logo">
        <Logo />
      </Row>
      <PageHeader
        parent={{ to: "/design", label: "The page above" }}
        kicker="A kind of page"
        title={<bdi>{LONG_NAME}</bdi>}
        note="412"
        subtitle={<bdi>{OTHER_SCRIPT}</bdi>}
      />
      <h2>A section of a page</h2>
      <h3>A part of a section</h3>
      <p>
        Text with <b>what matters in bold</b>, <code>a code</code>, a{" "}
        <TextLink to="/design">link of ours</TextLink>, and a{" "}
        <TextLink href="https://example.org">link to elsewhere</TextLink>
      </p>
      <p className="hint">A hint: what helps before typing.</p>
      <Row of="A day, a moment, a moment of a record">
        <DateText at={AT} /> <TimestampText at={AT} /> <RecordTimeText at={AT} />
      </Row>
      <LongText about="the long text">{LONG_TEXT}</LongText>
    </>
  );
}
