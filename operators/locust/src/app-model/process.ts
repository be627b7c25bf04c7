import type { ProgramContext } from "@homeostat/cluster/app-model";
import { formatTime, type Timer } from "@homeostat/core";
import type { LocustArguments } from "./arguments.ts";

/** State that masters and workers share: the log, timers, and whether the process has exited. */
export class LocustProcess {
  readonly context: ProgramContext;
  readonly args: LocustArguments;
  readonly lines: string[] = [];
  readonly #timers = new Set<Timer>();
  #isOver = false;

  constructor(context: ProgramContext, args: LocustArguments) {
    this.context = context;
    this.args = args;
  }

  get now(): number {
    return this.context.clock.now();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Logs a line in Locust's format. */
  log(module: string, text: string, level = "INFO"): void {
    const { now } = this;
    const time = `${formatTime(now).replace("T", " ").replace("Z", "")},${String(Math.floor(now % 1_000)).padStart(3, "0")}`;
    const line = `[${time}] ${this.context.pod.name}/${level}/locust.${module}: ${text}`;
    if (this.lines.length < 1_000) this.lines.push(line);
    this.context.print(line);
  }

  /** Schedules a callback, which is not called after the process has exited. */
  schedule(ms: number, run: () => void): Timer {
    const timer = this.context.clock.schedule(ms, () => {
      this.#timers.delete(timer);
      if (!this.#isOver) run();
    });
    this.#timers.add(timer);
    return timer;
  }

  /** Marks the process as exited and cancels its timers. */
  end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }
}
