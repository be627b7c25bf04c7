import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { operatorImage } from "@homeostat/operator-testing/image";
import { threadSeconds, type Usage, usageOf } from "../peers/proc.ts";
import type { Order, Told } from "./protocol.ts";
import type { RequestReport } from "./request-count.ts";

/** How the operator is started. */
export interface OperatorStart {
  /** The operator's folder in `operators/`. */
  readonly operator: string;
  readonly node: string;
  readonly program: string;
  readonly kubeconfig: string;
  /** Where its lease is. */
  readonly namespace: string;
  /** Where its log goes. */
  readonly log: string;
}

/** The operator, as a process of its own. */
export class OperatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor({ operator, node, program, kubeconfig, namespace, log }: OperatorStart) {
    const file = openSync(log, "w", 0o600);
    // With --expose-gc as the Deployment starts it, and with the environment of its image.
    this.#child = spawn(node, ["--expose-gc", program, kubeconfig, namespace], {
      env: {
        PATH: process.env["PATH"],
        POD_NAME: "bench",
        ...operatorImage(operator).env,
      },
      stdio: ["ignore", file, file, "ipc"],
    });
    closeSync(file);
    this.#ended = once(this.#child, "exit");
  }

  /** Resolves when it leads and knows everything there is. */
  async ready(): Promise<void> {
    await this.#next("ready");
  }

  /** What it has sent since it was asked last. */
  async requests(): Promise<RequestReport> {
    return this.#ask("report", "report");
  }

  /** Has it write down its heap, and tell what its parts take. */
  async heap(path: string): Promise<NodeJS.MemoryUsage> {
    return (await this.#ask(`heap ${path}`, "heap")).memory;
  }

  /** What it has used so far. CPU is of the threads that it has now, which is more exact. */
  usage(): Usage {
    const pid = this.#child.pid ?? 0;
    return { ...usageOf(pid), cpuSeconds: threadSeconds(pid) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    await this.#ended;
  }

  async #ask<K extends Told["is"]>(order: Order, is: K): Promise<Told & { is: K }> {
    const next = this.#next(is);
    this.#child.send(order);
    return next;
  }

  #next<K extends Told["is"]>(is: K): Promise<Told & { is: K }> {
    return new Promise((resolve, reject) => {
      const hear = (told: Told): void => {
        if (!isTold(told, is)) return;
        stop();
        resolve(told);
      };
      const leave = (code: number | null): void => {
        stop();
        reject(new Error(`the operator ended with ${code}; its log tells why`));
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

function isTold<K extends Told["is"]>(told: Told, is: K): told is Told & { is: K } {
  return told.is === is;
}
