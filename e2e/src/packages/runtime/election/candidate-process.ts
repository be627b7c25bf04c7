// A candidate as its test sees it: a process that can be stopped, killed and queried.

import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { systemClock } from "@homeostat/core";
import type { CandidateOptions, Report, SuspendDuringWrites, TermReport } from "./protocol.ts";

const program = fileURLToPath(new URL("./candidate.js", import.meta.url));

/** Upper bound for any condition on a busy machine. */
const timeoutMs = 120_000;

/** One candidate in its own process. */
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

  /** The last report of the candidate. */
  get report(): Report {
    return this.#report;
  }

  get isLeading(): boolean {
    return this.#exit === undefined && this.#report.at === "leading";
  }

  /** Exit code or signal; undefined while the process runs. */
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

  suspendDuringWrites(command: SuspendDuringWrites): void {
    this.#child.send(command);
  }

  /** Waits until the candidate leads a term later than `epoch` and has written in it. */
  async untilLeadingAfter(epoch: number): Promise<TermReport> {
    await this.until("leads", () => this.isLeading && this.lastTerm.epoch > epoch);
    const { stored } = this.#report;
    await this.until("writes", () => this.#report.stored > stored + 5);
    return this.lastTerm;
  }

  /** Waits until the reports or the exit of the candidate make `holds` true. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const ends = systemClock.monotonic() + timeoutMs;
    while (!holds() && systemClock.monotonic() < ends) await systemClock.sleep(10);
    assert.ok(holds(), `${this.identity}: timed out after ${timeoutMs} ms waiting until it ${what}. ${this.#story()}`);
  }

  /** Ends the process in any state. */
  async kill(): Promise<void> {
    if (this.#exit === undefined) this.signal("SIGKILL");
    await this.until("is gone", () => this.#exit !== undefined);
  }

  #story(): string {
    return `exit ${this.#exit ?? "none"}, ${JSON.stringify(this.#report)}`;
  }
}
