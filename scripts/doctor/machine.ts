import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";

import type { Check, Machine } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

const MB = 1024 * 1024;
const MIN_FREE_BYTES = 500 * MB;
/** On a small disk, as of a container, less is enough. */
const MIN_FREE_SHARE = 0.05;

/** Reads what is known about this machine. */
export async function readMachine(): Promise<Machine> {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as {
    engines: { node: string };
  };
  const disk = await statfs(".").catch(() => null);
  return {
    nodeVersion: process.versions.node,
    minNodeVersion: engines.node.replace(/^>=/, ""),
    disk: disk && {
      freeBytes: disk.bavail * disk.bsize,
      totalBytes: disk.blocks * disk.bsize,
    },
  };
}

/** Whether a version such as 20.19.0 is older than another. */
function isOlder(version: string, than: string): boolean {
  const [mine, other] = [version, than].map((text) => text.split(".").map(Number));
  const at = mine!.findIndex((part, index) => part !== other![index]);
  return at !== -1 && mine![at]! < other![at]!;
}

function checkNode({ nodeVersion, minNodeVersion }: Machine): Finding {
  return isOlder(nodeVersion, minNodeVersion)
    ? wrong(
        `Node ${nodeVersion} is older than ${minNodeVersion}`,
        "The dashboard may not start, or may fail in the middle of a request.",
        "Install the LTS version from https://nodejs.org.",
      )
    : fine(`Node ${nodeVersion}`);
}

const formatBytes = (bytes: number) =>
  bytes >= 1024 * MB ? `${(bytes / MB / 1024).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`;

function checkDisk({ disk }: Machine): Finding {
  if (!disk || disk.totalBytes === 0)
    return byHand("The system does not say how full the disk is.", "df -h");
  const { freeBytes, totalBytes } = disk;
  const free = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free on the disk`;
  return freeBytes < Math.min(MIN_FREE_BYTES, totalBytes * MIN_FREE_SHARE)
    ? wrong(
        `Only ${free}`,
        "The log stops, updates fail, and temporary files can’t be written.",
        "Find what fills it with `du -xh / | sort -h | tail`, and limit the size of the log.",
      )
    : fine(free);
}

/** The machine that this runs on: its Node and its disk. */
export const machine: Check = {
  title: "This machine",
  run: async (context) => [checkNode(context.machine), checkDisk(context.machine)],
};
