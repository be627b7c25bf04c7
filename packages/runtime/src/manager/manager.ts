// Longer than most files: the life cycle of a manager is one state machine.

import type { ServerClock } from "@homeostat/client";
import { ArgumentError } from "@homeostat/core";
import type { CachedVersions } from "../cache/cache.ts";
import { controllerUnit } from "../controller/controller-unit.ts";
import type { ElectionState } from "../election/state.ts";
import type { Term } from "../election/term.ts";
import type { ReconcileHistory } from "../history/reconcile-history.ts";
import type { Check } from "../http/check.ts";
import type { HttpServer } from "../http/http-server.ts";
import type { Registry } from "../metrics/registry.ts";
import type { QueueSnapshot } from "../queue/snapshot.ts";
import { preflight } from "../preflight/preflight.ts";
import type { DegradedReason } from "../preflight/prerequisites.ts";
import { type Assembly, assemble, type MakeUnit } from "./assembly.ts";
import { degradedGauge, recordDegraded } from "./degraded.ts";
import { PartFailedError, PartStuckError, ShuttingDownError } from "./errors.ts";
import { Gate, type GatedPart } from "./gate.ts";
import { cacheCheck, partCheck, ping, StepDownMonitor, workersCheck } from "./health.ts";
import { ownAccess } from "./manager-access.ts";
import { type ManagerOptions, type ManagerSettings, settingsOf } from "./options.ts";
import { servePages, whySource } from "./pages.ts";
import { Part, type PartWork } from "./part.ts";
import { checkNames, controllerWork, serviceWork } from "./parts-of.ts";
import { stopParts } from "./stop-parts.ts";
import { Tasks } from "./tasks.ts";
import { within } from "./within.ts";

/** State of a manager. */
export type ManagerState = "new" | "starting" | "running" | "stopping" | "stopped";

/** The work that a manager has left. */
export interface ManagerProgress {
  /** Work queues of the controllers; undefined for one that does not work yet, or not any more. */
  readonly queues: readonly { readonly controller: string; readonly queue: QueueSnapshot | undefined }[];
  /** Number of events that were recorded and not sent yet. */
  readonly eventsWaiting: number;
  readonly cache: readonly CachedVersions[];
}

/** Runs the controllers and services of a program. Made by {@link createManager}. */
export interface Manager {
  readonly name: string;
  readonly state: ManagerState;
  /** True if controllers work in this process: it is the leader, or there is no leader election. */
  readonly isLeading: boolean;
  readonly registry: Registry;
  /** The clock of the API server, estimated from its responses as described in docs/internals/time.md. */
  readonly serverClock: ServerClock;
  /** History of the reconciles of all controllers. */
  readonly history: ReconcileHistory;
  /** @internal Returns the work that is left and the contents of the cache, for tests that wait until nothing is left to do. */
  progress(): ManagerProgress;
  /** Ports of the HTTP servers while the manager runs: health probes, and metrics if they have a separate address. */
  readonly ports: readonly number[];
  /** Returns the checks of `/livez`. They fail only for problems that a restart solves. */
  liveChecks(): readonly Check[];
  /** Returns the checks of `/readyz`. */
  readyChecks(): readonly Check[];
  /**
   * Runs until the signal aborts, and then shuts down in this order: start no new reconciles, wait for running ones, send pending events,
   * release the lease, close connections. Can be called once.
   *
   * Rejects when a part fails (`PART_FAILED`), does not stop on shutdown (`PART_STUCK`), or a port is in use.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Stops because of an unhandled error, as after the failure of a part: reconciles end, the lease is released, and `run` rejects. The log line
   * names the controller whose reconcile caused the error. Call it synchronously from the handler of the process event, where the asynchronous
   * context of the error is still known; `runUntilSignal` does.
   */
  crash(origin: CrashOrigin, error: unknown): void;
}

/** The event of Node's `process` for an unhandled error. */
export type CrashOrigin = "unhandledRejection" | "uncaughtException";

const crashMessages: Readonly<Record<CrashOrigin, string>> = {
  unhandledRejection: "Unhandled promise rejection, stopping",
  uncaughtException: "Uncaught exception, stopping",
};

/** Time for services to stop before they are aborted. */
const serviceStopMs = 5_000;
/** Time for sending pending events. */
const flushMs = 4_000;
/** Time for ending the cache and background tasks. */
const cacheStopMs = 2_000;
/** Time for releasing the lease. */
const releaseMs = 5_000;

/**
 * Creates a manager, which runs controllers and services with a shared connection, cache, metrics registry and leader election.
 *
 * It starts nothing and installs no signal handlers; see `run` and `runUntilSignal`.
 *
 * @example
 * const manager = createManager({
 *   name: "tenants",
 *   connection: await loadConnection(),
 *   controllers: [tenants],
 *   leaderElection: {},
 *   http: { port: 8080 },
 * });
 * process.exitCode = await runUntilSignal(manager);
 */
export function createManager(options: ManagerOptions): Manager {
  return new ProgramManager(settingsOf(options), controllerUnit);
}

/** Creates a manager with another factory of controller units, for tests. */
export function createManagerWith(options: ManagerOptions, makeUnit: MakeUnit): Manager {
  return new ProgramManager(settingsOf(options), makeUnit);
}

/**
 * The life cycle of a manager.
 *
 * Start: HTTP server (so that probes get a response), event recorders, cache, check of prerequisites, leader election. Informers are filled before
 * leadership is acquired, so that a standby process can take over at once.
 *
 * Stop: controllers first, while the lease is still held, so that running reconciles can finish their writes; then services; then pending events;
 * the lease is released only when nothing of the term is running any more. If something does not stop, the lease is not released but expires:
 * releasing it would let the next leader start beside work that is still writing.
 */
class ProgramManager implements Manager {
  readonly #settings: ManagerSettings;
  readonly #assembly: Assembly;
  readonly #controllers: readonly Part[];
  readonly #leading: readonly Part[];
  readonly #always: readonly Part[];
  readonly #gate: Gate;
  readonly #stepDown: StepDownMonitor;
  readonly #stopping = new AbortController();
  /** Missing permissions of the manager itself. They degrade `/readyz`, but leader election is attempted anyway. */
  #ownProblem: string | undefined;
  #servers: readonly HttpServer[] = [];
  #state: ManagerState = "new";
  #isLeading = false;
  #failure: Error | undefined;

  constructor(settings: ManagerSettings, makeUnit: MakeUnit) {
    const { clock, random, log } = settings;
    this.#settings = settings;
    this.#stepDown = new StepDownMonitor(clock);
    this.#assembly = assemble(settings, makeUnit, {
      lead: (term) => this.#lead(term),
      onState: (state) => this.#onElectionState(state),
    });
    const { units, services } = this.#assembly;
    const partsOf = (works: readonly PartWork[]): readonly Part[] =>
      works.map((work) => new Part(work, { log, onFailure: (part, error) => this.#fail(part, error) }));
    this.#controllers = partsOf(units.map(({ controller, unit }) => controllerWork(controller, unit)));
    this.#leading = partsOf(services.filter(({ when }) => when === "leading").map(serviceWork));
    this.#always = partsOf(services.filter(({ when }) => when === "always").map(serviceWork));
    checkNames(this.#parts.map(({ work }) => work));
    const {
      clients: { reading: client },
      ownEvents,
    } = this.#assembly;
    this.#gate = new Gate({
      ...settings.preflight,
      log,
      clock,
      random,
      check: async (prerequisites, signal) =>
        settings.preflight === undefined ? [] : preflight(prerequisites, { client, clock, random, signal }),
      onDegraded: (name, degraded) => recordDegraded(name, degraded, { pod: settings.pod, events: ownEvents }),
    });
    settings.registry.register(degradedGauge(() => this.#parts));
  }

  get name(): string {
    return this.#settings.name;
  }

  get state(): ManagerState {
    return this.#state;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  get registry(): Registry {
    return this.#settings.registry;
  }

  get serverClock(): ServerClock {
    return this.#assembly.serverClock;
  }

  get history(): ReconcileHistory {
    return this.#assembly.history;
  }

  progress(): ManagerProgress {
    const { units, events, cache } = this.#assembly;
    return {
      queues: units.map(({ unit }) => ({ controller: unit.name, queue: unit.queue() })),
      eventsWaiting: events.size.waiting,
      cache: cache.versions(),
    };
  }

  get ports(): readonly number[] {
    return this.#servers.map(({ port }) => port);
  }

  liveChecks(): readonly Check[] {
    const { election, graceMs } = this.#settings;
    // Not checked: whether the API server can be reached. The kubelet would restart all operators during an outage of the API server,
    // and all of them would list everything when it is back.
    return [
      ping,
      ...(election === undefined ? [] : [this.#stepDown.check(election.leaseMs + graceMs)]),
      ...this.#assembly.units.map(({ unit }) => workersCheck(unit)),
    ];
  }

  readyChecks(): readonly Check[] {
    return [
      {
        name: "shutdown",
        problem: () => (this.#stopping.signal.aborted ? "failed: the program is shutting down" : undefined),
      },
      {
        name: "preflight",
        problem: () =>
          this.#gate.isOpen ? this.#ownProblem && `degraded: ${this.#ownProblem}` : "failed: checking prerequisites",
      },
      cacheCheck(this.#assembly.cache),
      ...this.#parts.map(partCheck),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new")
      throw new ArgumentError({ argument: "run", problem: "was called before; create a new manager instead." });
    this.#state = "starting";
    const { log } = this.#settings;
    const stop = (): void => this.#stopping.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const tasks = new Tasks((task, error) => this.#fail(task, error));
    try {
      await this.#start(tasks);
      if (!this.#stopping.signal.aborted) {
        this.#state = "running";
        log.info("Manager started", { program: this.name, controllers: this.#controllers.length });
        await aborted(this.#stopping.signal);
      }
    } catch (error) {
      log.error("Start failed, stopping", { program: this.name, error });
      this.#failure ??= error instanceof Error ? error : new PartFailedError("start", { cause: error });
    }
    signal.removeEventListener("abort", stop);
    this.#stopping.abort(this.#failure);
    await this.#stop(tasks);
    this.#state = "stopped";
    log.info("Manager stopped", { program: this.name });
    if (this.#failure !== undefined) throw this.#failure;
  }

  get #parts(): readonly Part[] {
    return [...this.#controllers, ...this.#leading, ...this.#always];
  }

  // ── start ──

  async #start(tasks: Tasks): Promise<void> {
    const { signal } = this.#stopping;
    const { cache, events, ownEvents, election, eventLoop, idleMemory } = this.#assembly;
    await this.#serve();
    tasks.run("event-loop", (inner) => eventLoop.run(inner));
    tasks.run("idle-memory", (inner) => idleMemory.run(inner));
    tasks.run("events", (inner) => events.run(inner));
    if (ownEvents !== undefined) tasks.run("own-events", (inner) => ownEvents.run(inner));
    if (signal.aborted) return;
    tasks.run("cache", (inner) => cache.run(inner));
    try {
      await this.#gate.open(this.#gatedParts(), signal);
    } catch (error) {
      // Stopped during the check.
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    tasks.run("preflight", (inner) => this.#gate.run(inner));
    // Last: a process that acquires the Lease and cannot work yet keeps the others from working.
    if (election === undefined) this.#startTerm();
    else tasks.run("election", (inner) => election.run(inner));
  }

  async #serve(): Promise<void> {
    const { http, registry, clock, log } = this.#settings;
    if (http === undefined) return;
    this.#servers = await servePages({
      http,
      registry,
      clock,
      log,
      pages: this.#assembly.pages,
      health: { live: () => this.liveChecks(), ready: () => this.readyChecks() },
      why: whySource({
        ...this.#assembly,
        isLeading: () => this.#isLeading,
        controllers: () =>
          this.#assembly.units.map((unit, i) => ({ ...unit, state: this.#controllers[i]?.description ?? "unknown" })),
      }),
    });
    log.info("Serving health and metrics", { ports: this.ports });
  }

  /** Returns everything that has prerequisites: all parts, and the leader election of the manager. */
  #gatedParts(): readonly GatedPart[] {
    const own: GatedPart[] = [
      {
        prerequisites: { name: "leader-election", access: ownAccess(this.#settings) },
        start: () => (this.#ownProblem = undefined),
        degrade: (why) => (this.#ownProblem = `leader election: ${why}`),
      },
    ];
    const always = new Set(this.#always);
    const parts = this.#parts.map((part) => ({
      prerequisites: part.work.prerequisites,
      start: () => {
        if (this.#stopping.signal.aborted) return;
        part.warmUp();
        if (always.has(part) || this.#isLeading) part.startTerm();
      },
      degrade: (why: string, reason: DegradedReason) => part.degrade(why, reason),
    }));
    return [...own, ...parts].filter(
      ({ prerequisites: { name, access } }) => name !== "leader-election" || access.length > 0,
    );
  }

  // ── leading ──

  #startTerm(): void {
    this.#isLeading = true;
    for (const part of [...this.#controllers, ...this.#leading]) part.startTerm();
  }

  /**
   * Runs one term. Resolves when the term has ended and all of its parts have stopped, because the election releases the Lease then.
   *
   * The parts are aborted without a grace period: the term is over, and the fence refuses their writes already. Waiting for them still
   * matters. A reconcile that runs on could finish its reads after this process was elected again, and then write what it decided in
   * the earlier term. Programs with client-go usually exit at this point for the same reason; here the cache stays warm for the next term.
   */
  async #lead({ signal, epoch }: Term): Promise<void> {
    this.#settings.log.info("Became leader", { program: this.name, epoch });
    if (!this.#stopping.signal.aborted) this.#startTerm();
    await aborted(signal);
    this.#isLeading = false;
    const parts = [...this.#controllers, ...this.#leading];
    for (const part of parts) part.abort(signal.reason);
    await Promise.all(parts.map(({ ended }) => ended));
  }

  #onElectionState(state: ElectionState): void {
    const { log } = this.#settings;
    this.#stepDown.note(state);
    switch (state.at) {
      case "standing-by":
        return log.info("Waiting for leadership", { holder: state.holder });
      case "waiting-out":
        return log.info("Created missing lease, waiting for a possible former leader to stop");
      case "stepping-down":
        return log.warn("Leadership ended", { why: state.why });
      case "leading":
      case "stopped":
    }
  }

  // ── failures ──

  crash(origin: CrashOrigin, error: unknown): void {
    const { id: reconcileID, controller, key } = this.#assembly.correlation.reconcile() ?? {};
    this.#settings.log.error(crashMessages[origin], { controller, key, reconcileID, error });
    this.#stopFor(controller === undefined ? "program" : `controller/${controller}`, error);
  }

  #fail(part: string, error: unknown): void {
    this.#settings.log.error("Part failed, stopping", { part, error });
    this.#stopFor(part, error);
  }

  /** Stops because of an error that has been logged. Only the first one becomes the error of `run`. */
  #stopFor(part: string, error: unknown): void {
    this.#failure ??= new PartFailedError(part, { cause: error });
    this.#stopping.abort(this.#failure);
  }

  // ── stop ──

  async #stop(tasks: Tasks): Promise<void> {
    this.#state = "stopping";
    const { clock, graceMs, drainMs, log } = this.#settings;
    const drainedAt = clock.monotonic() + (this.#always.some(({ isRunning }) => isRunning) ? drainMs : 0);
    const { clients } = this.#assembly;
    const reason = new ShuttingDownError();
    log.info("Stopping manager", { program: this.name, graceMs });
    const stopAll = (parts: readonly Part[], partGraceMs: number): Promise<void> =>
      stopParts(parts, { graceMs: partGraceMs, reason, clock, log });
    // Controllers first: their reconciles need the cache, the services, the events and above all the Lease, which the later steps end.
    await stopAll(this.#controllers, graceMs);
    await stopAll(this.#leading, stopTime(this.#leading));
    // Services such as webhooks go on for a while: kube-proxy and the API server learn only after some time that this pod is terminating,
    // and send requests to it until then. With `failurePolicy: Fail`, a refused connection would reject writes of users.
    const leftMs = drainedAt - clock.monotonic();
    if (leftMs > 0) await clock.sleep(leftMs);
    await stopAll(this.#always, stopTime(this.#always));
    // Events of the last reconciles are still queued. They are worth a short wait, but not the time that the next leader waits.
    await within(clock, flushMs, tasks.end("events", "own-events"));
    for (const part of this.#parts) part.close(reason);
    await within(clock, cacheStopMs, tasks.end("cache", "preflight", "event-loop", "idle-memory"));
    const stuck = this.#parts.filter(({ isRunning }) => isRunning).map(({ name }) => name);
    if (stuck.length > 0) {
      const error = new PartStuckError(stuck);
      log.error("Parts did not stop", { error });
      this.#failure ??= error;
    }
    // Ending the election closes the fence at once. It releases the Lease only if no work of the term is left, which stuck parts prevent.
    await within(clock, stuck.length > 0 ? 0 : releaseMs, tasks.end("election"));
    this.#isLeading = false;
    this.#assembly.outage.close();
    clients.close();
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

/** Returns the time for services to stop: that of the slowest one. */
function stopTime(parts: readonly Part[]): number {
  return Math.max(0, ...parts.map(({ work }) => work.stopMs ?? serviceStopMs));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
