// After a build: stores the files that pages load in compressed forms, too. The app sends those
// (app/http/compressed-files.server.ts).
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** @type {[extension: string, compress: (text: Buffer) => Buffer][]} */
const FORMS = [
  [
    ".br",
    (text) =>
      brotliCompressSync(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: text.byteLength,
        },
      }),
  ],
  [".gz", (text) => gzipSync(text, { level: constants.Z_BEST_COMPRESSION })],
];

/**
 * Compresses every script, style sheet, and drawing of a folder. A form that is not smaller is left out.
 * @param {string} folder
 */
export function compressFiles(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const text = readFileSync(join(folder, name));
    for (const [extension, compress] of FORMS) {
      const compressed = compress(text);
      if (compressed.byteLength < text.byteLength)
        writeFileSync(join(folder, name + extension), compressed);
    }
  }
}
