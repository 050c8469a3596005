import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";

import { JOB_FIELDS, JOB_KINDS } from "./fields";
import type { JobPreview } from "./job.server";

/** A job as the public sees it. */
export function JobPosting({ job }: { job: JobPreview }) {
  const kinds = [
    ...JOB_KINDS.filter((kind) => job[kind]).map((kind) => JOB_FIELDS[kind]),
    ...(job.remote ? ["Remote"] : []),
  ];
  const facts = [
    { term: "Where", text: [job.city, ...job.location].filter(Boolean).join(", ") },
    { term: "Category", text: job.category_name },
    { term: "Pay", text: job.pay_range },
  ];
  return (
    <Card as="article" labelledBy="posting" className="measure">
      <CardHead
        title={<bdi>{job.title}</bdi>}
        id="posting"
        subtitle={job.company_name === null ? undefined : <bdi>{job.company_name}</bdi>}
        badges={kinds.map((kind) => (
          <Badge key={kind}>{kind}</Badge>
        ))}
      />
      <dl className="details-list">
        {facts.map(({ term, text }) =>
          text ? (
            <div key={term}>
              <dt>{term}</dt>
              <dd dir="auto">{text}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <p className="whitespace-pre-wrap" dir="auto">
        {job.description}
      </p>
      {job.url ? (
        <p className="links">
          <TextLink href={job.url}>Apply or learn more</TextLink>
        </p>
      ) : null}
      {job.company_name === null ? null : (
        <h3>
          About <bdi>{job.company_name}</bdi>
        </h3>
      )}
      {job.queer_owned ? <p>Queer-owned.</p> : null}
      {job.ally_owned ? <p>Ally-owned.</p> : null}
      <p className="whitespace-pre-wrap" dir="auto">
        {job.company_bio}
      </p>
      {job.ally_safety ? (
        <>
          <h3>How it supports queer and trans people</h3>
          <p className="whitespace-pre-wrap" dir="auto">
            {job.ally_safety}
          </p>
        </>
      ) : null}
    </Card>
  );
}
