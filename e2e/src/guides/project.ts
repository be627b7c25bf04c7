import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The folder and the environment in which the commands of a guide run. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Runs commands of a guide. Returns what they print. Fails at the first command that fails. */
export async function follow(script: string, { cwd, env }: Place): Promise<string> {
  try {
    const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd, env });
    return stdout + stderr;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`this step of the guide failed:\n${script}\n${stdout}${stderr}`, { cause: error });
  }
}

/** A command of a guide that is left running. */
export class RunningCommand implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = "";

  constructor(command: string, { cwd, env }: Place) {
    // A process group of its own: npx runs programs in a shell, which does not pass on signals.
    this.#child = spawn("bash", ["-c", `exec ${command}`], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (piece: Buffer) => (this.#output += piece.toString()));
    }
  }

  get output(): string {
    return this.#output;
  }

  /** Waits until the output matches. Fails if the command ends before. */
  async printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#output)) {
      if (this.#child.exitCode !== null) throw new Error(`the command ended:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends SIGTERM. Returns the exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, "exit");
    this.#signal("SIGTERM");
    await ended;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "close");
    this.#signal("SIGKILL");
    await ended;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }
}
