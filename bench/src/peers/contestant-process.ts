import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command } from "./builds.ts";
import { threadSeconds, type Usage, usageOf } from "./proc.ts";
import { type ContestantEvent, Lines, parseEvent } from "./protocol.ts";
import { now, pause } from "./time.ts";

/** What a contestant is to do. */
export interface Task {
  /** Fill a cache; reconcile without doing anything; or give every object its children. */
  readonly work: "cache" | "reconcile" | "children";
  /** Only this namespace; all when empty. */
  readonly namespace: string;
  readonly workers: number;
}

/** How a contestant is started. */
export interface Start {
  readonly command: Command;
  /** What tells it apart from others of the same program. */
  readonly args: readonly string[];
  readonly task: Task;
  readonly kubeconfigPath: string;
  /** Where what it complains about goes. */
  readonly logPath: string;
  readonly signal: AbortSignal;
  /** Flags for Node, before the program. */
  readonly nodeFlags?: readonly string[];
}

type Named<E> = Extract<ContestantEvent, { event: E }>;

interface Waiter {
  readonly matches: (event: ContestantEvent) => boolean;
  readonly resolve: (event: ContestantEvent) => void;
}

/** A contestant that runs. It ends when its standard input does, so it cannot outlive the driver. */
export class ContestantProcess implements AsyncDisposable {
  /** When it was started, by the clock of {@link now}. */
  readonly startedAt: number;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #signal: AbortSignal;
  readonly #logPath: string;
  readonly #ended: Promise<never>;
  readonly #exited: Promise<void>;
  #waiters: Waiter[] = [];
  #listener: (event: ContestantEvent) => void = () => undefined;
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
    if (child.stdin === null || child.stdout === null) throw new Error("a contestant without pipes");
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
      this.#child.once("exit", (code, by) => reject(new Error(`ended with ${by ?? code}${this.#complaints()}`)));
      this.#child.once("error", reject);
    });
    // It is awaited only while somebody waits for something else.
    this.#ended.catch(() => undefined);
  }

  /** Hears of every event from now on. */
  listen(listener: (event: ContestantEvent) => void): void {
    this.#listener = listener;
  }

  /** The next event of a name; rejects when the contestant ends or the time is over. */
  async next<E extends ContestantEvent["event"]>(event: E, timeoutMs: number): Promise<Named<E>> {
    const isNamed = (candidate: ContestantEvent): candidate is Named<E> => candidate.event === event;
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

  /** Waits for a promise as long as the contestant lives and the time is not over. */
  async within<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const late = pause(timeoutMs, signal).then(() => {
      throw new Error(`no "${what}" in ${timeoutMs / 1000} s${this.#complaints()}`);
    });
    try {
      return await Promise.race([promise, late, this.#ended]);
    } finally {
      stop.abort();
      late.catch(() => undefined);
    }
  }

  /** Tells it something: `collect`, `quit`. */
  tell(command: string): void {
    this.#stdin.write(`${command}\n`);
  }

  /** What it has used so far. */
  usage(): Usage {
    return usageOf(this.pid);
  }

  /** The CPU time of its threads, exactly. */
  threadSeconds(): number {
    return threadSeconds(this.pid);
  }

  /** Waits until it uses next to no CPU, at most so long. */
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

  /** Ends it: asks, and after a while insists. */
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

  /** The end of what it wrote on standard error. */
  #complaints(): string {
    const text = readFileSync(this.#logPath, "utf8").trim();
    return text === "" ? "" : `:\n${text.slice(-1500)}`;
  }
}
