import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command } from "./builds.ts";
import { threadSeconds, type Usage, usageOf } from "./proc.ts";
import { type RuntimeEvent, Lines, parseEvent } from "./protocol.ts";
import { now, pause } from "./time.ts";

/** Task of a runtime. */
export interface Task {
  /** Fill a cache, reconcile without effect, or create children for every object. */
  readonly work: "cache" | "reconcile" | "children";
  /** Namespace to watch; all when empty. */
  readonly namespace: string;
  readonly workers: number;
}

/** Start options of a runtime. */
export interface Start {
  readonly command: Command;
  /** Arguments that distinguish variants of the same program. */
  readonly args: readonly string[];
  readonly task: Task;
  readonly kubeconfigPath: string;
  /** File for standard error. */
  readonly logPath: string;
  readonly signal: AbortSignal;
  /** Node.js flags, placed before the program. */
  readonly nodeFlags?: readonly string[];
}

type Named<E> = Extract<RuntimeEvent, { event: E }>;

interface Waiter {
  readonly matches: (event: RuntimeEvent) => boolean;
  readonly resolve: (event: RuntimeEvent) => void;
}

/** The process of a runtime. It exits when its standard input ends, so it cannot outlive the driver. */
export class RuntimeProcess implements AsyncDisposable {
  /** Start time on the clock of {@link now}. */
  readonly startedAt: number;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #signal: AbortSignal;
  readonly #logPath: string;
  readonly #ended: Promise<never>;
  readonly #exited: Promise<void>;
  #waiters: Waiter[] = [];
  #listener: (event: RuntimeEvent) => void = () => undefined;
  #isDone = false;

  constructor({ command, args, task, kubeconfigPath, logPath, signal, nodeFlags = [] }: Start) {
    this.#signal = signal;
    this.#logPath = logPath;
    const log = openSync(logPath, "w");
    const all = [...nodeFlags, ...command.args, ...args];
    const options = ["--kubeconfig", kubeconfigPath, "--work", task.work, "--workers", String(task.workers)];
    if (task.namespace !== "") options.push("--namespace", task.namespace);
    this.startedAt = now();
    const child = spawn(command.command, [...all, ...options], { stdio: ["pipe", "pipe", log] });
    closeSync(log);
    if (child.stdin === null || child.stdout === null) throw new Error("the runtime has no pipes");
    this.#child = child;
    this.#stdin = child.stdin;
    this.pid = this.#child.pid ?? 0;
    this.#stdin.on("error", () => undefined);
    const lines = new Lines();
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece: string) => {
      for (const line of lines.push(piece)) this.#take(line);
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      this.#child.once("error", () => resolve());
    });
    this.#ended = new Promise((_, reject) => {
      this.#child.once("exit", (code, by) => reject(new Error(`exited with ${by ?? code}${this.#stderrTail()}`)));
      this.#child.once("error", reject);
    });
    // Prevents an unhandled rejection while nothing is awaiting this promise.
    this.#ended.catch(() => undefined);
  }

  /** Subscribes to all later events. */
  listen(listener: (event: RuntimeEvent) => void): void {
    this.#listener = listener;
  }

  /** Returns the next event with this name. Rejects when the runtime exits or on timeout. */
  async next<E extends RuntimeEvent["event"]>(event: E, timeoutMs: number): Promise<Named<E>> {
    const isNamed = (candidate: RuntimeEvent): candidate is Named<E> => candidate.event === event;
    const found = new Promise<Named<E>>((resolve) => {
      this.#waiters.push({
        matches: isNamed,
        resolve: (candidate) => {
          if (isNamed(candidate)) resolve(candidate);
        },
      });
    });
    return this.within(found, timeoutMs, event);
  }

  /** Waits for a promise. Rejects when the runtime exits or on timeout. */
  async within<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const late = pause(timeoutMs, signal).then(() => {
      throw new Error(`no "${what}" in ${timeoutMs / 1000} s${this.#stderrTail()}`);
    });
    try {
      return await Promise.race([promise, late, this.#ended]);
    } finally {
      stop.abort();
      late.catch(() => undefined);
    }
  }

  /** Sends a command: `collect`, `quit`. */
  sendCommand(command: string): void {
    this.#stdin.write(`${command}\n`);
  }

  /** Returns CPU and memory used so far. */
  usage(): Usage {
    return usageOf(this.pid);
  }

  /** Returns the exact CPU time of its current threads. */
  threadSeconds(): number {
    return threadSeconds(this.pid);
  }

  /** Waits until it uses almost no CPU, up to a time limit. */
  async quiet(timeoutMs: number): Promise<void> {
    const end = now() + timeoutMs * 1e6;
    let calm = 0;
    let before = this.threadSeconds();
    while (calm < 3 && now() < end) {
      await this.within(pause(500, this.#signal), 10_000, "pause");
      const after = this.threadSeconds();
      calm = after - before < 0.025 ? calm + 1 : 0;
      before = after;
    }
  }

  /** Stops it with `quit`, and with SIGKILL after a timeout. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDone = true;
    this.#stdin.end("quit\n");
    const insist = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
    if (this.#signal.aborted) this.#child.kill("SIGKILL");
    await this.#exited;
    clearTimeout(insist);
  }

  #take(line: string): void {
    const event = parseEvent(line);
    if (event === undefined || this.#isDone) return;
    this.#listener(event);
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (waiter.matches(event)) waiter.resolve(event);
      else this.#waiters.push(waiter);
    }
  }

  /** Returns the last lines of its standard error. */
  #stderrTail(): string {
    const text = readFileSync(this.#logPath, "utf8").trim();
    return text === "" ? "" : `:\n${text.slice(-1500)}`;
  }
}
