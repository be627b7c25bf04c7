// The operator as its users run it: a process of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../../operators/tenant/dist/main.js", import.meta.url));
const linesMax = 400;

/** A running operator. */
export class OperatorProcess {
  readonly #lines: string[] = [];
  readonly #child: ChildProcess;

  constructor(kubeconfigPath: string) {
    const flags = ["--kubeconfig", kubeconfigPath, "--health-probe-bind-address", "0", "--metrics-bind-address", "0"];
    this.#child = spawn(process.execPath, ["--conditions=development", program, ...flags], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ENABLE_WEBHOOKS: "false" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => this.#note(text));
  }

  /** The end of what it has written. */
  get log(): string {
    return this.#lines.join("\n");
  }

  /** Ends it as a cluster would. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  #note(text: string): void {
    this.#lines.push(...text.trimEnd().split("\n"));
    this.#lines.splice(0, this.#lines.length - linesMax);
  }
}
