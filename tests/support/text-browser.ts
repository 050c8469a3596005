/**
 * Text browsers, driven as people drive them: by keys, with their eyes on the screen. Nothing here knows HTML: a field
 * is what the screen shows after its label.
 */
import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import { describeTerminal, Screen } from "./terminal";

export type TextBrowserName = "lynx" | "w3m";

/** What someone does on a page. Each waits for the page to show what it needs. */
export interface TextBrowser {
  /** The whole page, and the line below it with the browser's messages. */
  text(): string;
  /** Waits until the page shows this text, however it is wrapped. @returns its place on the screen */
  find(text: string): Promise<Place>;
  follow(link: string): Promise<unknown>;
  press(button: string): Promise<unknown>;
  /** Checks a box, or chooses one of several answers. */
  check(label: string): Promise<unknown>;
  fill(label: string, value: string): Promise<unknown>;
  /** Fills in a field of several lines. */
  write(label: string, value: string): Promise<unknown>;
  choose(label: string, option: string): Promise<unknown>;
  close(): Promise<unknown>;
}

interface Place {
  row: number;
  column: number;
}

const TERMINAL = "text-browser-test";
const COLUMNS = 100;
/** Every page fits, so that no one has to scroll. */
const ROWS = 400;
/** Ends what hangs. */
const HANGS_AFTER_MS = 5 * 60_000;
/** A page arrives in parts: a pause of this length is its end. */
const PAUSE_MS = 60;

const TAB = "\t";
const ENTER = "\r";
const ESCAPE = "\x1b";
const ERASE_LINE = "\x15";

/** Why this machine cannot drive a text browser, or null. */
export function missingProgram(name: TextBrowserName): string | null {
  for (const [program, version] of [
    [name, "-version"],
    ["tic", "-V"],
    ["script", "--version"],
  ] as const) {
    const { error, stdout } = spawnSync(program, [version], { encoding: "utf8" });
    if (error) return `${program} is not installed (Debian: apt-get install lynx w3m).`;
    if (program === "script" && !stdout.includes("util-linux"))
      return "script of util-linux is not installed.";
  }
  return null;
}

/** Opens a page in a text browser with an empty home folder. */
export async function openTextBrowser(name: TextBrowserName, url: string): Promise<TextBrowser> {
  const browser = name === "lynx" ? new Lynx(url) : new W3m(url);
  await browser.opened();
  return browser;
}

/** A program on a screen: what the two have in common. */
abstract class Driver implements TextBrowser {
  protected readonly home = mkdtempSync(join(tmpdir(), "text-browser-"));
  readonly #screen = new Screen(COLUMNS);
  /** When the program printed something for the last time. */
  #changed = Date.now();
  /** How often it did. */
  #outputs = 0;
  readonly #program: ChildProcessByStdio<Writable, Readable, null>;

  constructor(command: string) {
    writeFileSync(join(this.home, "terminal.ti"), describeTerminal(TERMINAL));
    const terminfo = join(this.home, "terminfo");
    mkdirSync(terminfo);
    spawnSync("tic", ["-o", terminfo, join(this.home, "terminal.ti")], { stdio: "inherit" });
    this.#program = spawn(
      "script",
      ["-qfec", `stty rows ${ROWS} cols ${COLUMNS}; exec ${command}`, "/dev/null"],
      {
        // Without the settings of this machine, such as a proxy.
        env: {
          NODE_ENV: process.env.NODE_ENV,
          PATH: process.env["PATH"] ?? "",
          HOME: this.home,
          TERM: TERMINAL,
          TERMINFO: terminfo,
          LC_ALL: "C.UTF-8",
        },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    this.#program.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#screen.write(text);
      this.#changed = Date.now();
      this.#outputs += 1;
    });
  }

  abstract opened(): Promise<unknown>;
  abstract follow(link: string): Promise<unknown>;
  abstract press(button: string): Promise<unknown>;
  abstract check(label: string): Promise<unknown>;
  abstract fill(label: string, value: string): Promise<unknown>;
  abstract write(label: string, value: string): Promise<unknown>;
  abstract choose(label: string, option: string): Promise<unknown>;

  text() {
    return this.#screen.lines().join("\n").trimEnd();
  }

  async find(text: string): Promise<Place> {
    const found = await this.match(new RegExp(wrapped(text), "u"), `“${text}”`);
    return this.placeAt(found.index);
  }

  async close() {
    const ended = once(this.#program, "exit");
    this.#program.kill();
    await ended;
    rmSync(this.home, { recursive: true, force: true });
  }

  protected type(keys: string) {
    this.#program.stdin.write(keys);
  }

  protected get cursor(): Place {
    return this.#screen.cursor;
  }

  protected line(row: number): string {
    return this.#screen.lines()[row] ?? "";
  }

  protected placeAt(index: number): Place {
    const before = this.text().slice(0, index).split("\n");
    return { row: before.length - 1, column: before.at(-1)!.length };
  }

  protected async match(pattern: RegExp, name = String(pattern)): Promise<RegExpExecArray> {
    let found: RegExpExecArray | null = null;
    await this.until(() => (found = pattern.exec(this.text())) !== null, name);
    return found!;
  }

  /** Waits until all keys are handled and nothing on the screen changes any more. */
  protected async settle() {
    await this.until(() => Date.now() - this.#changed > PAUSE_MS, "a pause");
    await this.handled();
  }

  /**
   * Waits until the program has handled all keys and shown what came of them. A pause doesn't say so: on a busy machine
   * a program may not have had its turn yet.
   */
  protected async handled() {
    let outputs = -1;
    await this.until(() => {
      const isQuiet = outputs === this.#outputs && this.#processes().every(isAsleep);
      outputs = this.#outputs;
      return isQuiet;
    }, "a program that waits for a key");
  }

  /** The ids of the terminal's process and of the program's. */
  #processes(): number[] {
    const id = this.#program.pid!;
    const children = readFileSync(`/proc/${id}/task/${id}/children`, "utf8");
    return [id, ...children.trim().split(" ").map(Number)];
  }

  protected async until(happened: () => boolean, name: string) {
    const deadline = Date.now() + HANGS_AFTER_MS;
    while (!happened()) {
      if (Date.now() > deadline || this.#program.exitCode !== null)
        throw new Error(`Waited for ${name}. The screen shows:\n${this.text()}`);
      await sleep(5);
    }
  }
}

/** Whether a process waits, as one does only while it has no input. One that has to wait for its turn does not sleep. */
const isAsleep = (id: number) =>
  readFileSync(`/proc/${id}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .startsWith("S");

/** Text as a pattern that a browser may have wrapped. */
const wrapped = (text: string) =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/[$()*+.?[\\\]^{|}/]/g, "\\$&"))
    .join("\\s+");

/** In lynx, Tab leads from link to field to button, and each has a number. */
class Lynx extends Driver {
  constructor(url: string) {
    super(`lynx -nocolor -nopause -number_fields -accept_all_cookies ${url}`);
  }

  async opened() {
    await this.until(() => this.#current() !== undefined, "the first page");
  }

  follow(link: string) {
    return this.#activate(`\\[(\\d+)\\]${wrapped(link)}`);
  }

  press(button: string) {
    return this.#activate(`\\(\\[(\\d+)\\][^)]*\\)\\s+${wrapped(button)}`);
  }

  async check(label: string) {
    const row = await this.#activate(`\\[(\\d+)\\][([] [)\\]]\\s*${wrapped(label)}`);
    await this.until(() => /\[\d+\][([][*X][)\]]/.test(this.line(row)), `${label}, checked`);
  }

  async fill(label: string, value: string) {
    const row = await this.#goTo(`^\\s*${wrapped(label)}[^[]*?\\[(\\d+)\\]`);
    this.type(ERASE_LINE + value);
    const end = value.slice(-8);
    const isThere = () => {
      const shown = this.line(row).replace(/_+$/, "");
      return shown.endsWith(end) || shown.endsWith("*".repeat(end.length));
    };
    await this.until(isThere, `${label}: ${value}`);
  }

  write(label: string, value: string) {
    return this.fill(label, value);
  }

  async choose(label: string, option: string) {
    await this.#activate(`^\\s*${wrapped(label)}[^[]*?\\[(\\d+)\\]`);
    await this.find(option);
    this.type(`/${option}${ENTER}`);
    this.type(ENTER);
    await this.match(new RegExp(`\\[\\d+\\]\\[[^\\]]*${wrapped(option)}_*\\]`), option);
  }

  /** The number of the link, field, or button that has the cursor; none while a page is on its way. */
  #current(): number | undefined {
    const { row, column } = this.cursor;
    if (row >= ROWS - 3) return undefined;
    const numbers = [
      ...this.line(row)
        .slice(0, column + 1)
        .matchAll(/\[(\d+)\]/g),
    ];
    return numbers.length > 0 ? Number(numbers.at(-1)![1]) : undefined;
  }

  /** @returns the row of what has the number that this pattern finds */
  async #goTo(pattern: string): Promise<number> {
    // The number anew each time: the page may have been another one a moment ago.
    const isThere = async () =>
      this.#current() === Number((await this.match(new RegExp(pattern, "mu")))[1]);
    await this.settle();
    for (;;) {
      if (await isThere()) {
        await this.settle();
        if (await isThere()) break;
      }
      const before = { ...this.cursor };
      this.type(TAB);
      await this.until(
        () => this.cursor.row !== before.row || this.cursor.column !== before.column,
        `the link after [${this.#current()}]`,
      );
      await this.handled();
    }
    return this.cursor.row;
  }

  async #activate(pattern: string): Promise<number> {
    const row = await this.#goTo(pattern);
    this.type(ENTER);
    return row;
  }
}

/** In w3m, the cursor goes anywhere, and Enter uses what it is on. Long texts are written in an editor. */
class W3m extends Driver {
  constructor(url: string) {
    super(`w3m -cookie -M -no-mouse -o editor="cp $HOME/written.txt" ${url}`);
  }

  async opened() {
    await this.match(/Viewing </, "the first page");
  }

  follow(link: string) {
    return this.#enter(`(?<=\\s)${wrapped(link)}`);
  }

  press(button: string) {
    return this.#enter(`(?<=\\s)${wrapped(button)}`);
  }

  async check(label: string) {
    const { row, column } = await this.#enter(`(?<=[[(]) [)\\]]\\s*${wrapped(label)}`);
    await this.until(() => this.line(row)[column] === "*", `${label}, checked`);
  }

  async fill(label: string, value: string) {
    const { row } = await this.#enter(`(?<=^\\s*${wrapped(label)}[^[]*?\\[)`);
    await this.match(/^(TEXT|Password):/m, "the line for the text");
    this.type(ERASE_LINE + value + ENTER);
    const start = value.slice(0, 8);
    const isThere = () =>
      [start, "*".repeat(start.length)].some((text) => this.line(row).includes(`[${text}`));
    await this.until(isThere, `${label}: ${value}`);
  }

  async write(label: string, value: string) {
    writeFileSync(join(this.home, "written.txt"), value);
    const { row } = await this.#enter(`(?<=^\\s*${wrapped(label)}[^[]*?\\[)`);
    await this.until(() => this.line(row).includes(value.slice(0, 20)), `${label}: ${value}`);
  }

  async choose(label: string, option: string) {
    const { row } = await this.#enter(`(?<=^\\s*${wrapped(label)}[^[]*?\\[)`);
    await this.find(option);
    this.type(`/${option}${ENTER}${ENTER}`);
    await this.until(() => this.line(row).includes(`[${option}`), option);
  }

  /** Puts the cursor on the last text that this pattern finds, and presses Enter. */
  async #enter(pattern: string): Promise<Place> {
    await this.match(new RegExp(pattern, "mu"));
    await this.settle();
    const found = [...this.text().matchAll(new RegExp(pattern, "gmu"))].at(-1)!;
    const place = this.placeAt(found.index);
    this.type(`${ESCAPE}g${place.row + 1}${ENTER}^${place.column > 0 ? `${place.column}l` : ""}`);
    const isThere = () => this.cursor.row === place.row && this.cursor.column === place.column;
    await this.until(isThere, `the cursor at ${place.row}, ${place.column}`);
    this.type(ENTER);
    return place;
  }
}
