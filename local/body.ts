const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Reads the body of a request, up to 10 MB. Returns undefined when there is none. */
export async function readBody(
  request: Request,
): Promise<Uint8Array<ArrayBuffer> | undefined | "too large"> {
  if (!request.body) return undefined;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > MAX_BODY_BYTES) return "too large";
    parts.push(part);
  }
  return size === 0 ? undefined : new Uint8Array(Buffer.concat(parts));
}
