import type { Timer } from "@homeostat/core";
import { Load } from "./load.ts";
import type { LocustProcess } from "./process.ts";
import { summaryOf } from "./report.ts";
import { targetsOf, userClassOf } from "./targets.ts";

/** States of a master, as its web API reports them. */
export type MasterState = "ready" | "spawning" | "running" | "stopped";

/** A worker that is registered with a master. */
export interface WorkerEntry {
  readonly id: string;
  readonly index: number;
  /** Log lines of the worker, which `/logs` returns. */
  readonly lines: readonly string[];
  /** Makes the worker exit; called when the master shuts down. */
  readonly quit: () => void;
  /** Time of the last heartbeat of a lost worker; undefined while it is connected. */
  missingSince: number | undefined;
}

/** Parameters of a run. */
export interface Swarm {
  readonly users: number;
  readonly spawnRate: number;
  readonly runTimeSeconds: number | undefined;
  readonly host?: string | undefined;
}

/** Time without a heartbeat after which a worker is reported as missing. */
const missingAfterMs = 3_000;
/** Time for which a missing worker is reported before it is removed from the list. */
const droppedAfterMs = 60_000;

/** A Locust process that runs tests: a master with workers, or a single process without workers. */
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
  #isShuttingDown = false;
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

  /** Connected and missing workers. A worker that has been missing for a minute is no longer listed. */
  get workers(): readonly WorkerEntry[] {
    const { now } = this.process;
    return [...this.#workers.values()].filter(
      ({ missingSince }) => missingSince === undefined || now - missingSince < missingAfterMs + droppedAfterMs,
    );
  }

  /** Workers that are connected, or whose loss is not noticed yet. */
  get connected(): readonly WorkerEntry[] {
    const { now } = this.process;
    return this.workers.filter(({ missingSince }) => missingSince === undefined || now - missingSince < missingAfterMs);
  }

  /** Returns the state of a worker for the web API. */
  workerState(worker: WorkerEntry): string {
    if (!this.connected.includes(worker)) return "missing";
    return this.#state === "running" || this.#state === "spawning" ? "running" : "ready";
  }

  /** Starts an automatic run: immediately, or when the expected workers are connected. */
  start(): void {
    const { args } = this.process;
    if (!args.isAutomatic) return;
    if (!this.isDistributed) return this.#autostart();
    if (args.expectWorkersMaxWaitSeconds > 0)
      this.process.schedule(args.expectWorkersMaxWaitSeconds * 1_000, () => {
        if (this.#hasBegun) return;
        this.process.log("main", "Gave up waiting for workers to connect", "ERROR");
        this.#quit(1);
      });
    this.#waitForWorkers();
  }

  /** Registers a worker. */
  connect(worker: Pick<WorkerEntry, "id" | "lines" | "quit">): void {
    this.#workers.set(worker.id, { ...worker, index: this.#indexes, missingSince: undefined });
    this.process.log(
      "runners",
      `${worker.id} (index ${this.#indexes}) reported as ready. ${this.connected.length} workers connected.`,
    );
    this.#indexes += 1;
  }

  /** Handles the exit of a worker. Without `isOrderly` the worker was killed and sent no message. */
  disconnect(id: string, { isOrderly }: { readonly isOrderly: boolean }): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    if (!isOrderly) {
      worker.missingSince ??= this.process.now;
      this.process.schedule(missingAfterMs, () => {
        this.process.log("runners", `Worker ${id} failed to send heartbeat, setting state to missing.`);
        if (this.connected.length === 0) this.#handleLastWorkerLost("The last worker went missing, stopping test.");
      });
      return;
    }
    this.#workers.delete(id);
    this.process.log("runners", `Worker '${id}' (index ${worker.index}) quit. ${this.connected.length} workers ready.`);
    if (this.connected.length === 0) this.#handleLastWorkerLost("The last worker quit, stopping test.");
  }

  /** Starts a run, or changes the number of users of the current one. */
  swarm(swarm: Swarm): void {
    const { now } = this.process;
    const { users, spawnRate, runTimeSeconds } = swarm;
    this.#lastSwarm = swarm;
    this.#host = swarm.host ?? this.#host;
    const isNew = this.#state === "ready" || this.#state === "stopped";
    if (this.isDistributed && this.connected.length === 0) {
      this.process.log(
        "runners",
        "You can't start a distributed test before at least one worker processes has connected",
        "WARNING",
      );
      return;
    }
    if (isNew) this.load.reset(now);
    const rate = spawnRate.toFixed(2);
    this.process.log(
      "runners",
      this.isDistributed
        ? `Sending spawn jobs of ${users} users at ${rate} spawn rate to ${this.connected.length} ready workers`
        : `Ramping to ${users} users at a rate of ${rate} per second`,
    );
    this.load.start(users, spawnRate, now);
    this.#state = "spawning";
    this.#spawnTimer?.[Symbol.dispose]();
    this.#spawnTimer = this.process.schedule(this.load.spawnedAt - now, () => {
      this.#state = "running";
      this.process.log("runners", `All users spawned: {"${this.userClass}": ${users}} (${users} total users)`);
    });
    if (runTimeSeconds === undefined) return;
    this.#runTimer?.[Symbol.dispose]();
    this.#runTimer = this.process.schedule(runTimeSeconds * 1_000, () => this.#handleRunTimeLimit());
  }

  /** Stops the current run. */
  stop(): void {
    this.#spawnTimer?.[Symbol.dispose]();
    this.#runTimer?.[Symbol.dispose]();
    if (this.#state === "ready" || this.#state === "stopped") return;
    this.load.stop(this.process.now);
    this.#state = "stopped";
    for (const { id, index } of this.isDistributed ? this.connected : []) {
      this.process.log("runners", `${id} (index ${index}) reported that it has stopped`);
      this.process.log(
        "runners",
        `${id} (index ${index}) reported as ready. ${this.connected.length} workers connected.`,
      );
    }
  }

  /** Handles SIGTERM. */
  terminate(): void {
    this.process.log("main", "Got SIGTERM signal");
    this.#quit();
  }

  #waitForWorkers(): void {
    const { expectWorkers } = this.process.args;
    if (this.connected.length >= expectWorkers) return this.#autostart();
    this.process.schedule(1_000, () => this.#waitForWorkers());
  }

  #autostart(): void {
    const { users, spawnRate, runTimeSeconds } = this.process.args;
    this.#hasBegun = true;
    if (runTimeSeconds !== undefined) this.process.log("main", `Run time limit set to ${runTimeSeconds} seconds`);
    this.swarm({ users, spawnRate, runTimeSeconds });
  }

  #handleRunTimeLimit(): void {
    const { isHeadless, autoquitSeconds, isAutomatic } = this.process.args;
    if (!isAutomatic) return this.stop();
    this.process.log("main", `--run-time limit reached, ${isHeadless ? "shutting down" : "stopping test"}`);
    this.stop();
    if (isHeadless) this.#quit();
    else if (autoquitSeconds !== undefined)
      this.process.schedule(autoquitSeconds * 1_000, () => {
        this.process.log("main", "--autoquit time reached, shutting down");
        this.#quit();
      });
  }

  #handleLastWorkerLost(text: string): void {
    if (this.process.isOver) return;
    this.process.log("runners", text);
    this.stop();
    if (this.process.args.isHeadless && this.#hasBegun) this.#quit();
  }

  #quit(exitCode?: number): void {
    if (this.process.isOver || this.#isShuttingDown) return;
    this.#isShuttingDown = true;
    this.stop();
    const failures = this.load.rows(this.process.now).some((row) => row.failures > 0);
    const code =
      exitCode ??
      numberOption(this.process.context.options["exitCode"], failures ? this.process.args.exitCodeOnError : 0);
    for (const { quit } of this.isDistributed ? this.connected : []) quit();
    this.process.log("main", `Shutting down (exit code ${code})`);
    this.process.context.print(summaryOf(this.load, this.process.now));
    this.process.end();
    this.#onEnd(code);
  }
}

/** Returns a numeric option of the simulation script, or the fallback if it is not set. */
export function numberOption(value: string | number | boolean | undefined, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}
