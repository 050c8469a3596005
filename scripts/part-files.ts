/**
 * Which files the parts of pages need that are loaded only for them
 * (app/components/layout/lazy-part.tsx).
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";

/** What Vite's manifest says of a file: its path, and the keys of those that it imports. */
interface BuiltFile {
  file: string;
  isDynamicEntry?: boolean;
  imports?: string[];
}
type Manifest = Record<string, BuiltFile>;

const ENTRY = "app/entry.client.tsx";

/**
 * The files that each module needs which is imported when it is used, without those that every page has.
 * @returns the paths below build/client, by the module's file name without its ending
 */
export function listPartFiles(manifest: Manifest): Record<string, string[]> {
  const shared = new Set(listFiles(manifest, ENTRY));
  const parts = Object.entries(manifest).filter(([, { isDynamicEntry }]) => isDynamicEntry);
  return Object.fromEntries(
    parts.map(([module]) => [
      basename(module, extname(module)),
      listFiles(manifest, module).filter((file) => !shared.has(file)),
    ]),
  );
}

/** A module's file, and those that it imports. */
function listFiles(manifest: Manifest, module: string, found: string[] = []): string[] {
  const built = manifest[module];
  if (!built || found.includes(built.file)) return found;
  found.push(built.file);
  for (const imported of built.imports ?? []) listFiles(manifest, imported, found);
  return found;
}

/** The manifest of the build for browsers, which comes before the server's. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, "client", ".vite", "manifest.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : {};
}
