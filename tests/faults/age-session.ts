import type { Person } from "../support/person";

/** Changes the time of expiry in a user's session cookie. */
export async function ageSession(person: Person, secondsLeft: number) {
  const { sessionCookie } = await import("~/http/cookies.server");
  const { serializeSession } = await import("~/http/session.server");
  const { a, r } = (await sessionCookie().parse(person.cookies.header())) as {
    a: string;
    r: string;
  };
  const expiresAt = Math.floor(Date.now() / 1000) + secondsLeft;
  person.cookies.store(
    new Headers({
      "Set-Cookie": await serializeSession({ accessToken: a, refreshToken: r, expiresAt }),
    }),
  );
}
