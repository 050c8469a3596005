/**
 * The scenarios that `npm run stripe:record` plays at Stripe, played at the stand-in alone: its answers
 * are compared with the recordings and, in any case, with the SDK's types.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { inProcessSdk } from "../../local/stripe/in-process-sdk";
import { LocalStripe } from "../../local/stripe/local-stripe";
import { differences } from "../../local/stripe-record/compare";
import { normalize } from "../../local/stripe-record/normalize";
import { readRecording, RECORDINGS } from "../../local/stripe-record/recordings";
import { type Answers, playScenario, type Scenario } from "../../local/stripe-record/scenario";
import { SCENARIOS } from "../../local/stripe-record/scenarios";
import { runScript } from "../support/command";
import { startTestStripe } from "../support/stripe";
import { ObjectTypes } from "./objects";

function play(scenario: Scenario): Promise<Answers> {
  const secretKey = "sk_test_0123456789abcdef";
  const standIn = new LocalStripe({ origin: "http://stripe.local", secretKey });
  return playScenario(scenario, inProcessSdk(standIn, secretKey));
}

const NOT_COMPARED =
  "not compared with Stripe yet: no recordings; npm run stripe:record makes them";

const types = new ObjectTypes([
  "billing_portal.configuration",
  "billing_portal.session",
  "charge",
  "checkout.session",
  "coupon",
  "customer",
  "invoice",
  "invoice_payment",
  "item",
  "line_item",
  "payment_intent",
  "payment_method",
  "price",
  "product",
  "refund",
  "subscription",
]);

describe.each(SCENARIOS)("the scenario $name", (scenario) => {
  const recording = readRecording(RECORDINGS, scenario.name);

  it("answers as the SDK's types say", async () => {
    const answers = await play(scenario);
    expect(Object.keys(answers).length).toBeGreaterThan(5);
    const objects = Object.entries(answers).filter(([, answer]) => !("error" in answer));
    const problems = objects.flatMap(([step, answer]) =>
      types.problems(answer).map((problem) => `${step}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  if (recording) {
    it(`answers as Stripe did on ${recording.recordedOn}`, async () => {
      expect(differences(normalize(await play(scenario)), recording.answers)).toEqual([]);
    });
  } else {
    it(`answers the same each time (${NOT_COMPARED})`, async () => {
      const [first, second] = [await play(scenario), await play(scenario)];
      expect(normalize(first)).not.toEqual(first);
      expect(differences(normalize(first), normalize(second))).toEqual([]);
    });
  }
});

describe("a difference from Stripe", () => {
  const answers = (changes: object): Answers => ({
    step: {
      id: "<ch 1>",
      amount: 500,
      status: "succeeded",
      refunds: [{ id: "<re 1>" }],
      ...changes,
    },
  });
  it.each([
    ["no difference", {}, []],
    ["a field that only Stripe has", { more: true }, []],
    ["another value", { status: "paid" }, ['step.status: "succeeded" here, "paid" at Stripe']],
    ["another type", { amount: null }, ["step.amount: number here, null at Stripe"]],
    ["another number of items", { refunds: [] }, ["step.refunds: 1 items here, 0 at Stripe"]],
    ["another item", { refunds: [{}] }, ["step.refunds[0].id: here, and not at Stripe"]],
  ])("is found: %s", (_what, changes, found) => {
    expect(differences(answers({}), answers(changes))).toEqual(found);
  });

  it("is found: an object that the SDK describes in another way", () => {
    expect(types.problems({ object: "refund", amount: "5", reason: "sorry", gift: 1 })).toEqual(
      expect.arrayContaining([
        'refund.amount is "5", which the SDK does not name',
        'refund.reason is "sorry", which the SDK does not name',
        "refund.gift is no field of it",
        "refund.created is missing",
      ]),
    );
  });

  it("is found: a step that is not recorded, or not played", () => {
    expect(differences({ new: {} }, { old: {} })).toEqual([
      "old: recorded, and no longer played",
      "new: not recorded yet",
    ]);
  });
});

describe("npm run stripe:record", () => {
  const folder = mkdtempSync(join(tmpdir(), "stripe-recordings-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("explains itself without a key, and exits with 1", async () => {
    const { said, code } = await runScript("stripe-record", [], {});
    expect(said).toContain("STRIPE_SANDBOX_KEY is missing, so nothing was compared with Stripe.");
    expect(code).toBe(1);
  });

  it("refuses a key that could charge someone", async () => {
    const key = "sk_live_0123456789abcdef";
    const { said, code } = await runScript("stripe-record", [], { STRIPE_SANDBOX_KEY: key });
    expect(said).toContain("must begin with sk_test_");
    expect(said).not.toContain(key);
    expect(code).toBe(1);
  });

  it("saves what was answered, and compares the stand-in with it", async () => {
    const stripe = await startTestStripe("http://app.test", async () => ({
      status: 200,
      body: "",
    }));
    const { said, code } = await runScript("stripe-record", ["--to", folder], {
      STRIPE_SANDBOX_KEY: stripe.secretKey,
      STRIPE_API_URL: stripe.url,
    });
    expect(said).toContain("The stand-in answers as Stripe does.");
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(SCENARIOS.map(({ name }) => `${name}.json`).sort());
    const { answers } = readRecording(folder, "payments")!;
    expect(answers["a refund of a part"]).toMatchObject({ amount: 200, created: "<time>" });
    expect(JSON.stringify(answers)).not.toContain(stripe.secretKey);
  });
});
