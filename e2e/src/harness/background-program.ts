import { type ChildProcess, spawn } from "node:child_process";
import { connect, type NetConnectOpts } from "node:net";

const patienceMs = 30_000;
const outputMax = 20_000;

/** A program that runs until the end of a suite. */
export class BackgroundProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  #output = "";
  #failure: Error | undefined;

  constructor(command: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#name = command;
    this.#child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-outputMax);
    };
    this.#child.stdout?.on("data", keep);
    this.#child.stderr?.on("data", keep);
    this.#child.on("error", (error) => {
      this.#failure = error;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of what the program has printed. */
  get output(): string {
    return this.#output;
  }

  /** Waits until the program accepts connections at all addresses. Fails if it ends before. */
  async listening(addresses: readonly NetConnectOpts[]): Promise<void> {
    const end = performance.now() + patienceMs;
    for (const address of addresses) {
      while (!(await isListening(address))) {
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#child.exitCode !== null || performance.now() > end)
          throw new Error(`${this.#name} does not listen at ${JSON.stringify(address)}: ${this.#output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  /** Waits for the first line that the program prints. Fails if it ends before. */
  async firstLine(): Promise<string> {
    const end = performance.now() + patienceMs;
    while (!this.#output.includes("\n")) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#child.exitCode !== null || performance.now() > end)
        throw new Error(`${this.#name} printed no line: ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.#output.slice(0, this.#output.indexOf("\n"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}

function isListening(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
