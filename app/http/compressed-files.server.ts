import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

/** Where the build puts the files that pages load, and their addresses. */
const FOLDER = "build/client/assets";
const ADDRESS = /^(\/assets\/([\w.-]+\.(js|css|svg)))(?:\?|$)/;

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

/**
 * Has Express send the form of a file that was compressed when it was built
 * (scripts/compress-files.mjs). Compressing it well for each request would take half a second.
 * remix-serve takes less time, but makes every page's script an eighth larger.
 */
export function chooseCompressedFile(request: IncomingMessage, response: ServerResponse): void {
  const [, path = "", name = "", kind = ""] = ADDRESS.exec(request.url ?? "") ?? [];
  const type = TYPES[kind];
  if (type === undefined) return;
  const coding = CODINGS.find(
    (each) => accepts(request, each.name) && existsSync(join(FOLDER, name + each.extension)),
  );
  if (!coding) return;
  request.url = path + coding.extension;
  response.setHeader("Content-Type", type);
  // It also keeps remix-serve from compressing the file again.
  response.setHeader("Content-Encoding", coding.name);
  response.setHeader("Vary", "Accept-Encoding");
}

/** Whether a client takes a coding. `q=0` means that it does not. */
function accepts(request: IncomingMessage, coding: string): boolean {
  const accepted = String(request.headers["accept-encoding"] ?? "").split(",");
  return accepted.some((each) => {
    const [name = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
