import { ErrorSummary } from "~/components/forms/error-summary";
import { FlashMessage } from "~/components/layout/flash-message";
import { AttentionItem } from "~/components/ui/attention-item";
import { Badge, type BadgeTone } from "~/components/ui/badge";
import { Button } from "~/components/ui/button";
import { Callout, type CalloutTone, ProblemAlert } from "~/components/ui/callout";
import { EmptyState } from "~/components/ui/empty-state";
import { ILLUSTRATIONS } from "~/components/ui/illustration";

import { Grid, LONG_NAME, OTHER_SCRIPT, Row, type PartProps } from "./samples";

const BADGES: Record<BadgeTone, string> = {
  published: "Published",
  waiting: "In review",
  featured: "Featured",
  wrong: "Payment failed",
  plain: "Draft",
};
const CALLOUTS: Record<CalloutTone, string> = {
  info: "Your draft is saved",
  success: "Approved",
  waiting: "Your changes are waiting for review",
  problem: "Your payment didn’t go through",
};

/** Badges, callouts, flashes, what needs attention, error summaries, and empty lists. */
export function Messages({ scheme }: PartProps) {
  return (
    <>
      <Row of="Badges">
        {(Object.keys(BADGES) as BadgeTone[]).map((tone) => (
          <Badge key={tone} tone={tone}>
            {BADGES[tone]}
          </Badge>
        ))}
      </Row>
      {(Object.keys(CALLOUTS) as CalloutTone[]).map((tone) => (
        <Callout key={tone} tone={tone} title={CALLOUTS[tone]}>
          What happened, in one sentence. What to do, in another.
        </Callout>
      ))}
      <ProblemAlert problem="We couldn’t reach our payment provider. You weren’t charged. Try again in a minute." />
      <FlashMessage
        flash={{
          tone: "success",
          text: `${LONG_NAME} is approved.`,
          undo: { action: "/design", fields: {} },
        }}
      />
      <FlashMessage flash={{ tone: "info", text: "Nothing changed." }} />
      <FlashMessage flash={{ tone: "problem", text: "Nothing was saved." }} />
      <section className="attention" aria-labelledby={`${scheme}-attention`}>
        <h2 id={`${scheme}-attention`}>Needs attention</h2>
        <ul>
          {(["problem", "waiting", "info"] as const).map((tone) => (
            <AttentionItem
              key={tone}
              icon="circle-alert"
              tone={tone}
              before="Your payment for "
              name={tone === "info" ? OTHER_SCRIPT : LONG_NAME}
              after=" didn’t go through."
              button={
                tone === "info"
                  ? null
                  : { action: "Update payment", to: "/design", about: `${tone}, ${scheme}` }
              }
            />
          ))}
        </ul>
      </section>
      <ErrorSummary
        form={{
          id: scheme,
          errors: {
            wrong: ["Enter an email address, such as name@example.org."],
            "": ["Nothing was saved."],
          },
        }}
      />
      <Grid>
        {ILLUSTRATIONS.map((name, index) => (
          <EmptyState
            key={name}
            title="No messages yet"
            illustration={name}
            action={index === 0 ? <Button variant="primary">Share your listing</Button> : undefined}
          >
            When someone writes to you through your listing, you’ll read it here.
          </EmptyState>
        ))}
        <EmptyState title="Nothing matches" />
      </Grid>
    </>
  );
}
