import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { operatorImage } from "@homeostat/operator-testing/image";
import { threadSeconds, type Usage, usageOf } from "../peers/proc.ts";
import type { OperatorCommand, OperatorMessage } from "./protocol.ts";
import type { RequestReport } from "./request-count.ts";

/** Start options of {@link OperatorProcess}. */
export interface OperatorStart {
  /** Folder of the operator in `operators/`. */
  readonly operator: string;
  readonly node: string;
  readonly program: string;
  readonly kubeconfig: string;
  /** Namespace of its lease. */
  readonly namespace: string;
  /** Path of its log. */
  readonly log: string;
  /** Further arguments of the program. */
  readonly args?: readonly string[];
}

/** An operator in a separate process. */
export class OperatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor({ operator, node, program, kubeconfig, namespace, log, args = [] }: OperatorStart) {
    const file = openSync(log, "w", 0o600);
    // With --expose-gc as in the Deployment, and with the environment and the flags of the image, which are between the command and the file.
    const { env, entrypoint } = operatorImage(operator);
    const flags = ["--expose-gc", ...entrypoint.slice(1, -1)];
    this.#child = spawn(node, [...flags, program, kubeconfig, namespace, ...args], {
      env: { PATH: process.env["PATH"], POD_NAME: "bench", ...env },
      stdio: ["ignore", file, file, "ipc"],
    });
    closeSync(file);
    this.#ended = once(this.#child, "exit");
  }

  /** Resolves when it is the leader and its caches are synced. */
  async ready(): Promise<void> {
    await this.#next("ready");
  }

  /** Returns the requests sent since the last call. */
  async requests(): Promise<RequestReport> {
    return this.#ask("report", "report");
  }

  /** Writes a heap snapshot of the operator and returns its memory usage. */
  async heap(path: string): Promise<NodeJS.MemoryUsage> {
    return (await this.#ask(`heap ${path}`, "heap")).memory;
  }

  /** Returns CPU and memory used so far. CPU is that of the current threads, which is more exact. */
  usage(): Usage {
    const pid = this.#child.pid ?? 0;
    return { ...usageOf(pid), cpuSeconds: threadSeconds(pid) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    await this.#ended;
  }

  async #ask<K extends OperatorMessage["is"]>(command: OperatorCommand, is: K): Promise<OperatorMessage & { is: K }> {
    const next = this.#next(is);
    this.#child.send(command);
    return next;
  }

  #next<K extends OperatorMessage["is"]>(is: K): Promise<OperatorMessage & { is: K }> {
    return new Promise((resolve, reject) => {
      const hear = (message: OperatorMessage): void => {
        if (!isMessage(message, is)) return;
        stop();
        resolve(message);
      };
      const leave = (code: number | null): void => {
        stop();
        reject(new Error(`the operator exited with code ${code}; see its log`));
      };
      const stop = (): void => {
        this.#child.off("message", hear);
        this.#child.off("exit", leave);
      };
      this.#child.on("message", hear);
      this.#child.on("exit", leave);
    });
  }
}

function isMessage<K extends OperatorMessage["is"]>(
  message: OperatorMessage,
  is: K,
): message is OperatorMessage & { is: K } {
  return message.is === is;
}
