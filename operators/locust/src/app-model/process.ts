import type { ProgramContext } from "@homeostat/cluster/app-model";
import { formatTime, type Timer } from "@homeostat/core";
import type { LocustArguments } from "./arguments.ts";

/** What every Locust process has: a log, timers, and an end. */
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

  /** Writes a line in Locust's form to its log. */
  say(module: string, text: string, level = "INFO"): void {
    const { now } = this;
    const time = `${formatTime(now).replace("T", " ").replace("Z", "")},${String(Math.floor(now % 1_000)).padStart(3, "0")}`;
    const line = `[${time}] ${this.context.pod.name}/${level}/locust.${module}: ${text}`;
    if (this.lines.length < 1_000) this.lines.push(line);
    this.context.print(line);
  }

  /** Does something later, unless the process has ended by then. */
  later(ms: number, run: () => void): Timer {
    const timer = this.context.clock.schedule(ms, () => {
      this.#timers.delete(timer);
      if (!this.#isOver) run();
    });
    this.#timers.add(timer);
    return timer;
  }

  /** Ends everything that waits. */
  end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }
}
