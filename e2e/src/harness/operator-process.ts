// Runs an operator as its users do: as a process, which a test can kill.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { repository } from "@homeostat/operator-testing/repository";

const linesMax = 400;

/** Options of an operator process. */
export interface OperatorProcessOptions {
  /** The operator's folder in `operators/`, or the path of another program: `apps/route-server`. */
  readonly operator: string;
  readonly kubeconfigPath: string;
  /** Additional arguments. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A running operator. */
export class OperatorProcess {
  readonly #options: OperatorProcessOptions;
  readonly #lines: string[] = [];
  #child: ChildProcess;

  constructor(options: OperatorProcessOptions) {
    this.#options = options;
    this.#child = this.#spawn();
  }

  /** Returns the last part of the output. */
  get log(): string {
    return this.#lines.join("\n");
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills the process with SIGKILL and starts it again. */
  async killAndRestart(): Promise<void> {
    await this.#end("SIGKILL");
    this.#lines.push("-- killed");
    this.#child = this.#spawn();
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the process with SIGTERM, like a kubelet. */
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
    const { operator, kubeconfigPath, flags = [], env = {} } = this.#options;
    const program = fileURLToPath(
      new URL(`${operator.includes("/") ? operator : `operators/${operator}`}/dist/main.js`, repository),
    );
    const common = ["--kubeconfig", kubeconfigPath, "--health-probe-bind-address", "0", "--metrics-bind-address", "0"];
    const child = spawn(process.execPath, ["--conditions=development", program, ...common, ...flags], {
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
