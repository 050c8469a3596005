// `npm run reset`: removes the data of the local services, so that the next start creates fresh
// demo data. The keys stay.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describeHolder, takeLock } from "../local/lock.mjs";
import { removeRunningApp } from "../local/running.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.env.LOCAL_DATA ?? join(root, ".local");
const data = join(folder, "data");

if (process.env.DATABASE_URL) {
  console.error(
    "DATABASE_URL is set, so the data live in that database and not in a folder here. " +
      "Nothing was removed.",
  );
  process.exit(1);
}

const { release, holder } = takeLock(`${data}.lock`);
if (!release) {
  console.error(
    `The dashboard is running (${describeHolder(holder)}). ` +
      "Stop it first with Ctrl+C, and then reset. Nothing was removed.",
  );
  process.exit(1);
}
try {
  removeRunningApp(folder);
  if (existsSync(data)) {
    rmSync(data, { recursive: true, force: true });
    console.log("The local data and emails were removed. `npm start` begins with fresh demo data.");
  } else {
    console.log("There was no local data. `npm start` begins with fresh demo data.");
  }
} finally {
  release();
}
