// The operator as its users run it: a process of its own, which can be killed.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Subject } from "./subject.ts";

const program = fileURLToPath(new URL("../../../../operators/locust/dist/main.js", import.meta.url));
const linesMax = 400;

/** A running operator that works in some namespaces. */
export class OperatorProcess {
  readonly #subject: Subject;
  readonly #namespaces: readonly string[];
  readonly #lines: string[] = [];
  #child: ChildProcess;

  constructor(subject: Subject, namespaces: readonly string[]) {
    this.#subject = subject;
    this.#namespaces = namespaces;
    this.#child = this.#spawn();
  }

  /** The end of what it has written. */
  get log(): string {
    return this.#lines.join("\n");
  }

  /** Whether it runs. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills it without a word, and starts it again. */
  async killAndRestart(): Promise<void> {
    await this.#end("SIGKILL");
    this.#lines.push("-- killed");
    this.#child = this.#spawn();
  }

  /** Ends it as a cluster would. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  #spawn(): ChildProcess {
    const { kubeconfigPath, env } = this.#subject;
    const flags = ["--kubeconfig", kubeconfigPath, "--watch-namespaces", this.#namespaces.join(",")];
    const quiet = ["--health-probe-bind-address", "0", "--metrics-bind-address", "0"];
    const child = spawn(process.execPath, ["--conditions=development", program, ...flags, ...quiet], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => this.#note(text));
    return child;
  }

  #note(text: string): void {
    this.#lines.push(...text.trimEnd().split("\n"));
    this.#lines.splice(0, this.#lines.length - linesMax);
  }
}
