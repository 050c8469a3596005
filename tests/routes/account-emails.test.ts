/**
 * Anyone can enter anyone's address where an account is created, or a new password is asked for. Neither
 * fills that person's mailbox, nor keeps them from joining.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";

import { signUpForm } from "../support/forms";
import { createWorld } from "../support/world";

const world = await createWorld();

const newEmail = (suffix = "") => `mailbox-${randomUUID()}${suffix}@example.test`;
const countMails = (email: string) => world.supabase.mails.filter(({ to }) => to === email).length;
/** As if the last confirmation had been sent this long ago. */
const later = (email: string, minutes: number) =>
  world.sql(
    "update auth.users set confirmation_sent_at = now() - make_interval(mins => $2::int) where email = $1",
    [email, minutes],
  );
const anHourLater = () => world.sql("update public.rate_limits set resets_at = now()");
const signUp = (email: string) =>
  world.anonymous().post("/signup", signUpForm({ email, password: `password of ${randomUUID()}` }));
const confirm = (link: string) => world.anonymous().page(link);

describe("signing up with one address again and again", () => {
  it("replaces no link that was sent a moment ago, and sends three an hour", async () => {
    const email = newEmail();
    await signUp(email);
    const { link } = world.mail(email);
    await later(email, 2);
    await signUp(email);
    expect(countMails(email)).toBe(1);
    expect(await confirm(link)).toSay(email);

    for (let times = 0; times < 5; times += 1) {
      await later(email, 6);
      await signUp(email);
    }
    expect(countMails(email)).toBe(3);
    // The last link works, whatever came after it.
    expect(await confirm(world.mail(email).link)).toSay(email);
    await anHourLater();
    await later(email, 61);
    await signUp(email);
    expect(countMails(email)).toBe(4);
  });

  it("says the same each time", async () => {
    const email = newEmail();
    const pages = [];
    for (let times = 0; times < 6; times += 1) {
      const person = world.anonymous();
      expect(await person.post("/signup", signUpForm({ email }))).toRedirectTo("/");
      pages.push((await person.page("/login")).text);
      await later(email, 6);
    }
    expect(new Set(pages).size).toBe(1);
  });

  it("with many addresses of a mailbox doesn't fill it, and leaves its own address alone", async () => {
    const name = randomUUID();
    const suffixed = Array.from({ length: 5 }, (_, n) => `${name}+${n}@example.test`);
    for (let times = 0; times < 4; times += 1)
      for (const email of suffixed) {
        await later(email, 6);
        await signUp(email);
      }
    expect(suffixed.reduce((sum, email) => sum + countMails(email), 0)).toBe(10);
    await signUp(`${name}@example.test`);
    expect(countMails(`${name}@example.test`)).toBe(1);
  });
});

describe("asking for a new password of one account again and again", () => {
  it("sends three emails an hour, and answers alike", async () => {
    const owner = await world.owner();
    const before = countMails(owner.email);
    const pages = new Set<string>();
    for (let times = 0; times < 6; times += 1) {
      await world.sql(
        "update auth.users set recovery_sent_at = now() - interval '6 minutes' where id = $1",
        [owner.id],
      );
      pages.add((await world.anonymous().submit("/recovery", { email: owner.email })).text);
    }
    expect(countMails(owner.email) - before).toBe(3);
    expect(pages.size).toBe(1);
    // The last one works.
    const person = world.anonymous();
    const { link } = world.mail(owner.email);
    expect(await person.page(link)).toHaveStatus(200);
    await anHourLater();
    await world.sql(
      "update auth.users set recovery_sent_at = now() - interval '6 minutes' where id = $1",
      [owner.id],
    );
    await world.anonymous().post("/recovery", { email: owner.email.toUpperCase() });
    expect(countMails(owner.email) - before).toBe(4);
  });
});

describe("a request for a new password", () => {
  it("for an account whose address has a suffix is answered also after many sign-ups with others", async () => {
    const name = randomUUID();
    const address = `${name}+directory@example.test`;
    await signUp(address);
    const visitor = world.anonymous();
    const { link } = world.mail(address);
    await visitor.submit(link, {
      intent: "openLink",
      token_hash: new URL(link, world.appUrl).searchParams.get("token_hash")!,
      type: "email",
    });
    for (let n = 0; n < 12; n += 1) await signUp(`${name}+${n}@example.test`);
    const before = countMails(address);
    await world.anonymous().post("/recovery", { email: address });
    expect(countMails(address)).toBe(before + 1);
  });

  it("leaves the sign-ups with an address alone, and they leave it alone", async () => {
    const email = newEmail();
    for (let asked = 0; asked < 4; asked += 1) {
      await signUp(email);
      await later(email, 6);
    }
    const before = countMails(email);
    await world.anonymous().post("/recovery", { email });
    expect(countMails(email)).toBe(before + 1);
  });

  it("for an address without an account keeps no one from joining", async () => {
    for (const email of [newEmail(), newEmail("+suffix")]) {
      for (let asked = 0; asked < 12; asked += 1)
        await world.anonymous().post("/recovery", { email });
      await signUp(email);
      expect(countMails(email)).toBe(1);
      expect(await confirm(world.mail(email).link)).toSay(email);
    }
  });
});

describe("a change of address", () => {
  it("is limited for who asks, and says the same of every address", async () => {
    const [asker, someone] = [await world.owner(), await world.owner()];
    const ask = async (email: string) => {
      // The auth service has a pause of its own between two of them.
      await world.sql("update auth.users set email_change_sent_at = null where id = $1", [
        asker.id,
      ]);
      return asker.submit("/account", { email, current_password: asker.password });
    };
    for (const email of [newEmail(), someone.email, newEmail(), someone.email, newEmail()])
      expect(await ask(email)).toRedirectTo("/account");
    const answers = [await ask(newEmail()), await ask(someone.email)];
    for (const answer of answers) expect(answer).toSay("Too many");
    // It uses up nothing of the person whose address it is.
    const before = countMails(someone.email);
    await later(someone.email, 6);
    await world.anonymous().post("/recovery", { email: someone.email });
    expect(countMails(someone.email)).toBe(before + 1);
  });
});
