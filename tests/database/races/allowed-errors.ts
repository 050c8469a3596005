/** The errors with which an operation may end when others act at the same time. Any other one is a defect. */
interface DatabaseError {
  code?: string;
  message: string;
  detail?: string;
}

const ALLOWED: Record<string, (error: DatabaseError) => boolean> = {
  "a refusal in words": ({ code, message }) =>
    (code === "P0001" || code === "42501" || code === "PT409") && /^[a-z_]+$/.test(message),
  "a limit": ({ code }) => code === "PGRST",
  "someone who may not, or may not anymore": ({ code, message }) =>
    code === "42501" && message.startsWith("new row violates row-level security policy"),
  "a deadlock that Postgres ended": ({ code }) => code === "40P01",
  "a lock that was not free in time": ({ code }) => code === "55P03",
  "an account that was just deleted": ({ code, detail = "" }) =>
    code === "23503" && detail.endsWith('is not present in table "profiles".'),
};

export const isAllowed = (error: DatabaseError): boolean =>
  Object.values(ALLOWED).some((allows) => allows(error));
