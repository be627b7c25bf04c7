// A program as its test sees it: a process, its log, and its pages.

import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock } from "@homeostat/core";
import type { ProgramOptions } from "./protocol.ts";

const program = fileURLToPath(new URL("./program.js", import.meta.url));

/** Upper bound for any condition on a busy machine. */
const timeoutMs = 90_000;

/** One line of a program's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A page of a program. */
export interface Page {
  readonly status: number;
  readonly text: string;
}

/** One program in its own process. */
export class ProgramProcess implements AsyncDisposable {
  readonly identity: string;
  readonly log: LogLine[] = [];
  readonly #child: ChildProcess;
  #exit: number | NodeJS.Signals | undefined;
  #errors = "";

  constructor(options: ProgramOptions) {
    this.identity = options.identity;
    this.#child = fork(program, [JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    assert.ok(this.#child.stdout !== null && this.#child.stderr !== null);
    createInterface(this.#child.stdout).on("line", (line) => this.log.push(JSON.parse(line) as LogLine));
    this.#child.stderr.on("data", (piece: Buffer) => (this.#errors += piece.toString()));
    this.#child.once("exit", (code, signal) => (this.#exit = signal ?? code ?? -1));
  }

  /** Exit code or signal; undefined while the process runs. */
  get exit(): number | NodeJS.Signals | undefined {
    return this.#exit;
  }

  /** Standard error: warnings of Node.js, a crash. */
  get errors(): string {
    return this.#errors;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Fetches a page of the program, once it serves them. */
  async page(path: string): Promise<Page> {
    const serving = this.log.find(({ msg }) => msg === "Serving health and metrics");
    if (serving === undefined) return { status: 0, text: "not serving yet" };
    const [port] = serving["ports"] as number[];
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  }

  /** Waits until a condition holds. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const ends = systemClock.monotonic() + timeoutMs;
    while (!(await holds())) {
      assert.ok(
        systemClock.monotonic() < ends,
        `${this.identity}: not so after ${timeoutMs} ms: ${what}. ${this.#story()}`,
      );
      await systemClock.sleep(50);
    }
  }

  async untilReady(): Promise<void> {
    await this.until("ready", async () => (await this.page("/readyz")).status === 200);
  }

  /** Waits for the exit. Returns the duration. */
  async untilExit(): Promise<number> {
    const began = systemClock.monotonic();
    await this.until("gone", () => this.#exit !== undefined);
    return systemClock.monotonic() - began;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#exit === undefined) this.signal("SIGKILL");
    await this.untilExit();
  }

  #story(): string {
    const last = this.log.slice(-15).map((line) => JSON.stringify(line).slice(0, 400));
    return [`exit ${this.#exit ?? "none"}`, this.#errors, ...last].join("\n");
  }
}
