import SDK, { type Stripe } from "stripe";

/** What a call answered: an object, or an error. */
export type Answer = Record<string, unknown>;

/** The answers of a scenario by the names of its steps. */
export type Answers = Record<string, Answer>;

/** Makes one call, and keeps what it answered under this name. Returns the object. */
export type Step = <T extends object>(name: string, call: () => Promise<T>) => Promise<T>;

/** Makes one call that is to be refused, and keeps the error. */
export type Refusal = (name: string, call: () => Promise<unknown>) => Promise<void>;

export interface Play {
  sdk: Stripe;
  step: Step;
  refused: Refusal;
  /** Differs in each run: for ids and keys that must be new. */
  run: string;
}

/** Calls that are made one after another, at Stripe and at the stand-in alike. */
export interface Scenario {
  name: string;
  play: (play: Play) => Promise<void>;
}

/** Plays a scenario through the official SDK. @throws when a call is refused that should not be */
export async function playScenario({ play }: Scenario, sdk: Stripe): Promise<Answers> {
  const answers: Answers = {};
  const keep = (name: string, answer: Answer): void => {
    if (name in answers) throw new Error(`Two steps are named ${name}.`);
    answers[name] = answer;
  };
  await play({
    sdk,
    // In digits, since an id without one looks like a name.
    run: `${Date.now()}${Math.random().toString(36).slice(2, 8)}`,
    async step(name, call) {
      const answer = await call();
      // As JSON, without what the SDK adds to it.
      keep(name, JSON.parse(JSON.stringify(answer)) as Answer);
      return answer;
    },
    async refused(name, call) {
      const error: unknown = await call().then(
        () => new Error(`This was not refused: ${name}.`),
        (problem: unknown) => problem,
      );
      if (!(error instanceof SDK.errors.StripeError)) throw error;
      keep(name, {
        error: {
          status: error.statusCode ?? null,
          type: error.rawType ?? null,
          code: error.code ?? null,
          param: error.param ?? null,
          decline_code: error.decline_code ?? null,
          message: error.message,
        },
      });
    },
  });
  return answers;
}
