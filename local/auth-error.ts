/** An error as the hosted auth service (GoTrue) answers it. */
export function authError(status: number, code: string, msg: string): Response {
  return Response.json(
    { code: status, error_code: code, msg },
    { status, headers: { "X-Sb-Error-Code": code } },
  );
}
