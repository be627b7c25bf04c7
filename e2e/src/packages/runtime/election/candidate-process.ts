// A candidate as its test sees it: a process that can be stopped, killed and asked where it stands.

import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { systemClock } from "@homeostat/core";
import type { CandidateOptions, Report, StopAmidWrites, TermReport } from "./protocol.ts";

const program = fileURLToPath(new URL("./candidate.js", import.meta.url));

/** Long enough for anything that happens at all, on a machine with better things to do. */
const patienceMs = 120_000;

/** One candidate in a process of its own. */
export class CandidateProcess {
  readonly identity: string;
  readonly #child: ChildProcess;
  #report: Report = { at: "stopped", terms: [], stored: 0, fenced: 0, failed: 0 };
  #exit: number | NodeJS.Signals | undefined;

  constructor(options: CandidateOptions) {
    this.identity = options.identity;
    this.#child = fork(program, [JSON.stringify(options)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#child.on("message", (report: Report) => (this.#report = report));
    this.#child.once("exit", (code, signal) => (this.#exit = signal ?? code ?? -1));
  }

  /** What it last said of itself. */
  get report(): Report {
    return this.#report;
  }

  get isLeading(): boolean {
    return this.#exit === undefined && this.#report.at === "leading";
  }

  /** The code or signal that ended it; undefined while it runs. */
  get exit(): number | NodeJS.Signals | undefined {
    return this.#exit;
  }

  get lastTerm(): TermReport {
    const term = this.#report.terms.at(-1);
    assert.ok(term !== undefined, `${this.identity} has never led`);
    return term;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  stopAmidWrites(command: StopAmidWrites): void {
    this.#child.send(command);
  }

  /** Waits until it leads a term later than `epoch` and has written in it. */
  async untilLeadingAfter(epoch: number): Promise<TermReport> {
    await this.until("leads", () => this.isLeading && this.lastTerm.epoch > epoch);
    const { stored } = this.#report;
    await this.until("writes", () => this.#report.stored > stored + 5);
    return this.lastTerm;
  }

  /** Waits until what it says of itself, or its end, makes `holds` true. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const ends = systemClock.monotonic() + patienceMs;
    while (!holds() && systemClock.monotonic() < ends) await systemClock.sleep(10);
    assert.ok(holds(), `${this.identity}: not so after ${patienceMs} ms: ${what}. ${this.#story()}`);
  }

  /** Ends it, in whatever state it is. */
  async kill(): Promise<void> {
    if (this.#exit === undefined) this.signal("SIGKILL");
    await this.until("is gone", () => this.#exit !== undefined);
  }

  #story(): string {
    return `exit ${this.#exit ?? "none"}, ${JSON.stringify(this.#report)}`;
  }
}
