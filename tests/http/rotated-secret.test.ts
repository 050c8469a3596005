/** SESSION_SECRET while it is replaced: what was signed before stays valid, and what is signed is signed with the new one. */
import { expect, it, vi } from "vitest";

import { APP_URL, configure } from "./configure";

const OLD = "the old secret for tests, of 32 and more characters";
const NEW = "the new secret for tests, of 32 and more characters";
const USER = "0198c4b2-7b9e-7000-8000-000000000001";

/** The app with this SESSION_SECRET. */
async function start(secret: string) {
  vi.resetModules();
  configure({ SESSION_SECRET: secret });
  const { sessionCookie } = await import("~/http/cookies.server");
  const { getFormToken, hasValidFormToken, isFormOfAnother } = await import("~/http/csrf.server");
  const { serializeSession, readSessionOwner } = await import("~/http/session.server");
  const links = await import("~/modules/emails/unsubscribe-link.server");
  const { openCandidate, sealAddress } = await import("~/integrations/addresses/addresses.server");
  const requestWith = (cookie: string) => new Request(APP_URL, { headers: { Cookie: cookie } });
  const firstPart = (cookie: string) => cookie.split(";")[0]!;
  const accessToken = `a.${Buffer.from(JSON.stringify({ sub: USER })).toString("base64url")}.c`;

  return {
    async sign() {
      const session = firstPart(
        await serializeSession({ accessToken, refreshToken: "r", expiresAt: 2_000_000_000 }),
      );
      const form = await getFormToken(requestWith(session));
      return {
        cookies: `${session}; ${firstPart(form.setCookie!)}`,
        formToken: form.token,
        link: links.createUnsubscribeLink({ userId: USER, kind: "job-expiring" }),
        seal: sealAddress({ formatted: "1 Main St", lat: 1, long: 1 } as never, "1 Main"),
      };
    },
    async accepts({ cookies, formToken, link, seal }: Awaited<ReturnType<typeof this.sign>>) {
      const request = requestWith(cookies);
      const form = new FormData();
      form.set("csrf", formToken);
      return {
        session: (await sessionCookie().parse(cookies)) !== null,
        form: await hasValidFormToken(request, form),
        account:
          (await readSessionOwner(request)) === USER &&
          !(await isFormOfAnother(request, form, USER)),
        link: links.parseUnsubscribeLink(new URL(link)) !== null,
        seal: (await openCandidate(seal)) !== null,
      };
    },
  };
}

const all = { session: true, form: true, account: true, link: true, seal: true };
const none = { session: false, form: false, account: false, link: false, seal: false };

it("keeps sessions, open forms, addresses, and links in emails while both secrets are set", async () => {
  const before = await (await start(OLD)).sign();
  const rotating = await start(`${NEW}|${OLD}`);
  expect(await rotating.accepts(before)).toEqual(all);
  const since = await rotating.sign();
  const after = await start(NEW);
  expect(await after.accepts(since)).toEqual(all);
  expect(await after.accepts(before)).toEqual(none);
});

// So instances that are restarted one after the other accept what each other has signed.
it("signs with the first secret, and accepts what was signed with either", async () => {
  const already = await (await start(`${NEW}|${OLD}`)).sign();
  expect(await (await start(OLD)).accepts(already)).toEqual(none);
  const notYet = await start(`${OLD}|${NEW}`);
  expect(await notYet.accepts(already)).toEqual(all);
  const signed = await notYet.sign();
  expect(await (await start(OLD)).accepts(signed)).toEqual(all);
});
