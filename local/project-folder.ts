import { fileURLToPath } from "node:url";

/** The root of this repository, without a slash at its end. */
export const projectFolder = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");
