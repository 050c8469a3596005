import { newPasswordCookie, readCookie } from "~/http/cookies.server";

/** A Set-Cookie value: this user has just set a new password in this browser. */
export const rememberNewPassword = (user: string): Promise<string> =>
  newPasswordCookie().serialize(user);

/** Whether they have. The page that says so asks for it: anyone can send someone its address. */
export const hasNewPassword = async (request: Request, user: string): Promise<boolean> =>
  (await readCookie(newPasswordCookie(), request)) === user;
