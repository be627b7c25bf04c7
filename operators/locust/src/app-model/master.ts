import type { Timer } from "@homeostat/core";
import { Load } from "./load.ts";
import type { LocustProcess } from "./process.ts";
import { summaryOf } from "./report.ts";
import { targetsOf, userClassOf } from "./targets.ts";

/** What a master calls its states. */
export type MasterState = "ready" | "spawning" | "running" | "stopped";

/** A worker, as its master sees it. */
export interface WorkerEntry {
  readonly id: string;
  readonly index: number;
  readonly lines: readonly string[];
  /** Called when the master has no more work for it. */
  readonly quit: () => void;
  /** When it was last heard of; undefined while it is there. */
  missingSince: number | undefined;
}

/** A run that is asked for. */
export interface Swarm {
  readonly users: number;
  readonly spawnRate: number;
  readonly runTimeSeconds: number | undefined;
  readonly host?: string | undefined;
}

/** How long a lost worker is shown as missing, and when it is noticed. */
const noticedAfterMs = 3_000;
const droppedAfterMs = 60_000;

/** A Locust process that runs tests: a master with workers, or one that does everything itself. */
export class LocustMaster {
  readonly process: LocustProcess;
  readonly load: Load;
  readonly userClass: string;
  readonly #workers = new Map<string, WorkerEntry>();
  readonly #onEnd: (exitCode: number) => void;
  #state: MasterState = "ready";
  #indexes = 0;
  #host: string | undefined;
  #runTimer: Timer | undefined;
  #spawnTimer: Timer | undefined;
  #hasBegun = false;
  #isLeaving = false;
  #lastSwarm: Swarm | undefined;

  constructor(process: LocustProcess, onEnd: (exitCode: number) => void) {
    const { context, args } = process;
    const source = context.files.get(args.locustfile);
    this.process = process;
    this.#onEnd = onEnd;
    this.#host = args.host;
    this.userClass = userClassOf(source);
    this.load = new Load({
      requestsPerUser: numberOption(context.options["requestsPerUser"], 1),
      failRatio: Math.min(1, Math.max(0, numberOption(context.options["failRatio"], 0))),
      responseMs: numberOption(context.options["responseTime"], 20),
      targets: targetsOf(source),
    });
  }

  get isDistributed(): boolean {
    return this.process.args.role === "master";
  }

  get state(): MasterState {
    return this.#state;
  }

  get host(): string | undefined {
    return this.#host;
  }

  get lastSwarm(): Swarm | undefined {
    return this.#lastSwarm;
  }

  get users(): number {
    return this.load.users(this.process.now);
  }

  /** The workers there are; those that are long missing are gone. */
  get workers(): readonly WorkerEntry[] {
    const { now } = this.process;
    return [...this.#workers.values()].filter(
      ({ missingSince }) => missingSince === undefined || now - missingSince < noticedAfterMs + droppedAfterMs,
    );
  }

  /** The workers that work. */
  get connected(): readonly WorkerEntry[] {
    const { now } = this.process;
    return this.workers.filter(({ missingSince }) => missingSince === undefined || now - missingSince < noticedAfterMs);
  }

  /** What a worker is shown as. */
  workerState(worker: WorkerEntry): string {
    if (!this.connected.includes(worker)) return "missing";
    return this.#state === "running" || this.#state === "spawning" ? "running" : "ready";
  }

  /** Begins: at once, or when enough workers are there. */
  begin(): void {
    const { args } = this.process;
    if (!args.startsByItself) return;
    if (!this.isDistributed) return this.#autostart();
    if (args.expectWorkersMaxWaitSeconds > 0)
      this.process.later(args.expectWorkersMaxWaitSeconds * 1_000, () => {
        if (this.#hasBegun) return;
        this.process.say("main", "Gave up waiting for workers to connect", "ERROR");
        this.#quit(1);
      });
    this.#lookForWorkers();
  }

  /** Takes a worker in. */
  connect(worker: Pick<WorkerEntry, "id" | "lines" | "quit">): void {
    this.#workers.set(worker.id, { ...worker, index: this.#indexes, missingSince: undefined });
    this.process.say(
      "runners",
      `${worker.id} (index ${this.#indexes}) reported as ready. ${this.connected.length} workers connected.`,
    );
    this.#indexes += 1;
  }

  /** Takes note that a worker has left, in order or without a word. */
  disconnect(id: string, { isOrderly }: { readonly isOrderly: boolean }): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    if (!isOrderly) {
      worker.missingSince ??= this.process.now;
      this.process.later(noticedAfterMs, () => {
        this.process.say("runners", `Worker ${id} failed to send heartbeat, setting state to missing.`);
        if (this.connected.length === 0) this.#loseLast("The last worker went missing, stopping test.");
      });
      return;
    }
    this.#workers.delete(id);
    this.process.say("runners", `Worker '${id}' (index ${worker.index}) quit. ${this.connected.length} workers ready.`);
    if (this.connected.length === 0) this.#loseLast("The last worker quit, stopping test.");
  }

  /** Starts a test, or changes the one that runs. */
  swarm(swarm: Swarm): void {
    const { now } = this.process;
    const { users, spawnRate, runTimeSeconds } = swarm;
    this.#lastSwarm = swarm;
    this.#host = swarm.host ?? this.#host;
    const isNew = this.#state === "ready" || this.#state === "stopped";
    if (this.isDistributed && this.connected.length === 0) {
      this.process.say(
        "runners",
        "You can't start a distributed test before at least one worker processes has connected",
        "WARNING",
      );
      return;
    }
    if (isNew) this.load.reset(now);
    const rate = spawnRate.toFixed(2);
    this.process.say(
      "runners",
      this.isDistributed
        ? `Sending spawn jobs of ${users} users at ${rate} spawn rate to ${this.connected.length} ready workers`
        : `Ramping to ${users} users at a rate of ${rate} per second`,
    );
    this.load.start(users, spawnRate, now);
    this.#state = "spawning";
    this.#spawnTimer?.[Symbol.dispose]();
    this.#spawnTimer = this.process.later(this.load.spawnedAt - now, () => {
      this.#state = "running";
      this.process.say("runners", `All users spawned: {"${this.userClass}": ${users}} (${users} total users)`);
    });
    if (runTimeSeconds === undefined) return;
    this.#runTimer?.[Symbol.dispose]();
    this.#runTimer = this.process.later(runTimeSeconds * 1_000, () => this.#reachLimit());
  }

  /** Stops the test that runs. */
  stop(): void {
    this.#spawnTimer?.[Symbol.dispose]();
    this.#runTimer?.[Symbol.dispose]();
    if (this.#state === "ready" || this.#state === "stopped") return;
    this.load.stop(this.process.now);
    this.#state = "stopped";
    for (const { id, index } of this.isDistributed ? this.connected : []) {
      this.process.say("runners", `${id} (index ${index}) reported that it has stopped`);
      this.process.say(
        "runners",
        `${id} (index ${index}) reported as ready. ${this.connected.length} workers connected.`,
      );
    }
  }

  /** Ends the process as SIGTERM does. */
  terminate(): void {
    this.process.say("main", "Got SIGTERM signal");
    this.#quit();
  }

  #lookForWorkers(): void {
    const { expectWorkers } = this.process.args;
    if (this.connected.length >= expectWorkers) return this.#autostart();
    this.process.later(1_000, () => this.#lookForWorkers());
  }

  #autostart(): void {
    const { users, spawnRate, runTimeSeconds } = this.process.args;
    this.#hasBegun = true;
    if (runTimeSeconds !== undefined) this.process.say("main", `Run time limit set to ${runTimeSeconds} seconds`);
    this.swarm({ users, spawnRate, runTimeSeconds });
  }

  #reachLimit(): void {
    const { isHeadless, autoquitSeconds, startsByItself } = this.process.args;
    if (!startsByItself) return this.stop();
    this.process.say("main", `--run-time limit reached, ${isHeadless ? "shutting down" : "stopping test"}`);
    this.stop();
    if (isHeadless) this.#quit();
    else if (autoquitSeconds !== undefined)
      this.process.later(autoquitSeconds * 1_000, () => {
        this.process.say("main", "--autoquit time reached, shutting down");
        this.#quit();
      });
  }

  #loseLast(text: string): void {
    if (this.process.isOver) return;
    this.process.say("runners", text);
    this.stop();
    if (this.process.args.isHeadless && this.#hasBegun) this.#quit();
  }

  #quit(exitCode?: number): void {
    if (this.process.isOver || this.#isLeaving) return;
    this.#isLeaving = true;
    this.stop();
    const failures = this.load.rows(this.process.now).some((row) => row.failures > 0);
    const code =
      exitCode ??
      numberOption(this.process.context.options["exitCode"], failures ? this.process.args.exitCodeOnError : 0);
    for (const { quit } of this.isDistributed ? this.connected : []) quit();
    this.process.say("main", `Shutting down (exit code ${code})`);
    this.process.context.print(summaryOf(this.load, this.process.now));
    this.process.end();
    this.#onEnd(code);
  }
}

/** A number that a script may give. */
export function numberOption(value: string | number | boolean | undefined, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
