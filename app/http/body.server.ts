import { HttpError } from "./errors.server";

/** A form that is sent back to its page to be refilled has two more fields (submitted-form.ts). */
const REFILL = { bytes: 128, fields: 2 };
const MAX_BYTES = 512 * 1024 + REFILL.bytes;
/** How large the forms of people without a session may be, such as signing up with a captcha. */
export const SMALL_FORM_BYTES = 32 * 1024;
const MAX_FIELDS = 2_000 + REFILL.fields;
const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"];
/**
 * The names of our fields. A list is sent by repeating its name. Conform would read brackets and dots as a
 * path, and make every list element before an index: 18 indices in each name stopped the process for
 * half a minute.
 */
const FIELD_NAME = /^[A-Za-z][\w-]{0,99}$/;

/** Whether a name has the form of ours, and is not a property that every object has. */
const isFieldName = (name: string) => FIELD_NAME.test(name) && !(name in Object.prototype);

function tooLarge(): HttpError {
  return new HttpError(
    413,
    "That form is too large",
    "Nothing was saved. Please go back, shorten the longest text and submit it again.",
  );
}

function unreadable(): HttpError {
  return new HttpError(
    400,
    "We couldn’t read the form",
    "Some of it was lost on the way. Please go back and submit it again.",
  );
}

/**
 * The body of a request as it was sent, with the same size limit as forms.
 * @throws HttpError 413 when it is too large, 400 when only a part of it arrives
 */
export async function readBody(
  request: Request,
  maxBytes = MAX_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("Content-Length") ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  for (;;) {
    // It fails when the client goes away in the middle, such as when the connection is lost: no
    // fault of ours.
    const chunk = await reader?.read().catch(() => {
      throw unreadable();
    });
    if (!chunk || chunk.done) break;
    size += chunk.value.byteLength;
    // The stream is not canceled: that would break the connection before the response is sent.
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk.value);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

/**
 * The fields of a posted form: at most 512 KB and 2,000 fields (Remix has no limit). Line ends
 * become `\n`. The NUL character is dropped, since no text in Postgres can hold it. Fields whose names
 * none of our forms has, such as paths, are ignored.
 * @param maxBytes the size limit
 * @throws HttpError 413 when it is too large, 415 when it is not a form, 400 when it cannot be read
 */
export async function readForm(request: Request, maxBytes = MAX_BYTES): Promise<FormData> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!FORM_TYPES.some((known) => type.toLowerCase().startsWith(known))) {
    throw new HttpError(
      415,
      "Invalid request",
      "This address only accepts forms from this site’s pages.",
    );
  }
  const bytes = await readBody(request, maxBytes);
  let raw: FormData;
  try {
    raw = await new Response(bytes, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw unreadable();
  }

  const form = new FormData();
  let fields = 0;
  for (const [name, value] of raw) {
    fields += 1;
    if (fields > MAX_FIELDS) throw tooLarge();
    if (typeof value !== "string" || !isFieldName(name)) continue;
    form.append(name, value.replaceAll("\r\n", "\n").replaceAll("\u0000", ""));
  }
  return form;
}
