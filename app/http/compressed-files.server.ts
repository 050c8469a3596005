import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Where the build puts the files that pages load, and what their addresses begin with. */
const FOLDER = "build/client/assets";
const PREFIX = "/assets/";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** The names of codings in requests (RFC 9110, section 12.5.3), and of the files, the smaller first. */
const CODINGS = [
  { name: "br", extension: ".br" },
  { name: "gzip", extension: ".gz" },
] as const;

let files: ReadonlySet<string> | undefined;

/**
 * Has Express send the form of a file that was compressed when it was built (scripts/compress-files.mjs).
 * Compressing it well for each request would take half a second; what remix-serve does in less makes
 * every page's script an eighth larger.
 */
export function chooseCompressedFile(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? "";
  if (!url.startsWith(PREFIX)) return;
  const [path = ""] = url.split("?", 1);
  const name = path.slice(PREFIX.length);
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) return;
  files ??= new Set(readdirSync(FOLDER));
  const stored = files;
  const coding = CODINGS.find(
    (each) => stored.has(name + each.extension) && accepts(request, each.name),
  );
  if (!coding) return;
  request.url = path + coding.extension;
  const headers = { "Content-Type": type, "Content-Encoding": coding.name };
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
  response.appendHeader("Vary", "Accept-Encoding");
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    // The file is gone, as when a new version was built into the folder: the answer is a page.
    if (response.statusCode >= 400) response.removeHeader("Content-Encoding");
    return writeHead(...args);
  };
}

/** Whether a client takes a coding. `q=0` means that it does not. */
function accepts(request: IncomingMessage, coding: string): boolean {
  const accepted = String(request.headers["accept-encoding"] ?? "").split(",");
  return accepted.some((each) => {
    const [name = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
