/**
 * The browser of the end-to-end tests, found or unpacked: nothing has to be installed first.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

interface Browser {
  /** Undefined: the one that Playwright has installed. */
  executablePath?: string;
  args: string[];
  env: Record<string, string>;
}

const ARGS = [
  // Chromium's sandbox does not run as root or in most containers. The pages are our own.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * In this order: the browser named by CHROMIUM_PATH, an installed Chromium or Chrome, the one in the
 * npm package @sparticuz/chromium (Linux on x64; unpacked once into `.cache/`, some 5 s), Playwright's own.
 */
export async function findBrowser(): Promise<Browser> {
  const installed = process.env["CHROMIUM_PATH"] || installedBrowser();
  if (installed) return { executablePath: installed, args: ARGS, env: {} };
  if (!canUnpackBrowser()) return { args: ARGS, env: {} };
  const folder = await unpackedBrowser();
  return {
    executablePath: join(folder, "chromium"),
    args: ARGS,
    env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_PATH: join(folder, "fonts") },
  };
}

/** Whether the browser in the npm package runs on this machine. */
const canUnpackBrowser = () => platform() === "linux" && arch() === "x64";

/**
 * The browser in the npm package with the package's font alone, which draws a page alike on each
 * machine; null where it does not run.
 */
export async function findPinnedBrowser(): Promise<Browser | null> {
  if (!canUnpackBrowser()) return null;
  const folder = await unpackedBrowser();
  const fonts = join(folder, "one-font.conf");
  // In one step: another worker's browser may be reading it, and half a file means the machine's own fonts.
  const written = `${fonts}.${process.pid}`;
  await writeFile(written, fontsIn(join(folder, "fonts")));
  await rename(written, fonts);
  return {
    executablePath: join(folder, "chromium"),
    args: [...ARGS, "--font-render-hinting=none", "--disable-lcd-text"],
    env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: fonts },
  };
}

const installedBrowser = () =>
  findInstalled(
    ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"],
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  );

/** The Firefox named by FIREFOX_PATH, or an installed one. */
export const findFirefox = (): string | undefined =>
  process.env["FIREFOX_PATH"] ||
  findInstalled(["firefox", "firefox-esr"], "/Applications/Firefox.app/Contents/MacOS/firefox");

/**
 * The driver of an installed WebKitGTK, and why journeys can't run in it. (Safari has another driver, and its settings
 * can't be set by a test.)
 */
export function findWebKit(): { driver: string } | { missing: string } {
  const driver = findInstalled(["WebKitWebDriver"]);
  if (driver === undefined) return { missing: "WebKitWebDriver isn’t installed" };
  return findInstalled(["Xvfb"]) ? { driver } : { missing: "Xvfb isn’t installed" };
}

/** The first of these programs that is installed. */
function findInstalled(names: string[], onMac?: string): string | undefined {
  const candidates = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  if (platform() === "darwin" && onMac) candidates.push(onMac);
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function unpackedBrowser(): Promise<string> {
  const cache = fileURLToPath(new URL("../../.cache", import.meta.url));
  const manifest = new URL("../../node_modules/@sparticuz/chromium/package.json", import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;

  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    // The package unpacks into the temporary folder, and includes libraries only on AWS. Both can be
    // set for a process of its own.
    await promisify(execFile)(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`,
      ],
      {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" },
      },
    );
    await writeFile(
      join(fresh, "fonts", "fonts.conf"),
      fontsIn(join(folder, "fonts"), "/usr/share/fonts"),
    );
    // The next run may be by another user.
    await chmod(join(fresh, "chromium"), 0o755);
    await chmod(fresh, 0o755);
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process unpacked it first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package's font comes before those of the machine, one of which may fit a weight better and be wider. */
function fontsIn(...folders: string[]) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((folder) => `  <dir>${folder}</dir>`).join("\n")}
  <match target="pattern">
    <edit name="family" mode="prepend_first" binding="strong"><string>Open Sans</string></edit>
  </match>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}
