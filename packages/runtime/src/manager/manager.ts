import type { ServerClock } from "@homeostat/client";
import { ArgumentError } from "@homeostat/core";
import { controllerUnit } from "../controller/controller-unit.ts";
import type { ElectionState } from "../election/state.ts";
import type { Term } from "../election/term.ts";
import type { EventSubject } from "../events/make-event.ts";
import type { FlightRecorder } from "../history/reconcile-history.ts";
import type { Check } from "../http/check.ts";
import type { HttpServer } from "../http/http-server.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";
import { preflight } from "../preflight/preflight.ts";
import { type Assembly, assemble, type MakeUnit } from "./assembly.ts";
import { PartFailedError, PartStuckError, ShuttingDownError } from "./errors.ts";
import { type Degraded, Gate, type Waiting } from "./gate.ts";
import { cacheCheck, partCheck, ping, SteppingDown, workersCheck } from "./health.ts";
import { ownAccess } from "./manager-access.ts";
import { type ManagerOptions, type ManagerSettings, settingsOf } from "./options.ts";
import { servePages, whySource } from "./pages.ts";
import { Part, type PartWork } from "./part.ts";
import { checkNames, controllerWork, serviceWork } from "./parts-of.ts";
import { Tasks } from "./tasks.ts";
import { within } from "./within.ts";

/** Where a manager stands. */
export type ManagerState = "new" | "starting" | "running" | "stopping" | "stopped";

/** Runs the controllers and services of a program. Made by {@link createManager}. */
export interface Manager {
  readonly name: string;
  readonly state: ManagerState;
  /** Whether controllers work in this process: it leads, or there is no election. */
  readonly isLeading: boolean;
  readonly registry: Registry;
  /** The clock of the API server, estimated from its responses. docs/internals/time.md says how. */
  readonly serverClock: ServerClock;
  /** What happened to the objects of its controllers. */
  readonly flights: FlightRecorder;
  /** The ports of its pages while it runs: of health, and of metrics when they have their own. */
  readonly ports: readonly number[];
  /** The checks of `/livez`. Each fails only when a restart is the remedy. */
  liveChecks(): readonly Check[];
  /** What has to hold for it to be ready, as `/readyz` shows it. */
  readyChecks(): readonly Check[];
  /**
   * Runs until the signal aborts and everything is put down, in order: no new work, time for what is under way, events
   * sent, lease released, connections closed. Can be called once.
   *
   * Rejects when a part cannot go on (`PART_FAILED`), does not stop when told to (`PART_STUCK`), or a port is taken.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Stops because of an error that nothing handled, as `run` does when a part fails: reconciles end, the lease is released, and
   * `run` rejects. The log names the controller whose reconcile the error comes from. Call it from the handler of the
   * process event, where the asynchronous context of the error is known; `runUntilSignal` does.
   */
  crash(origin: CrashOrigin, error: unknown): void;
}

/** The event of Node's `process` that tells of an error which nothing handled. */
export type CrashOrigin = "unhandledRejection" | "uncaughtException";

const crashMessages: Readonly<Record<CrashOrigin, string>> = {
  unhandledRejection: "Unhandled promise rejection, stopping",
  uncaughtException: "Uncaught exception, stopping",
};

/** How long parts may take to return after they were broken off, and services after they were told to stop. */
const breakOffMs = 2_000;
const serviceStopMs = 5_000;
const flushMs = 4_000;
const cacheStopMs = 2_000;
const releaseMs = 5_000;

/**
 * Makes a manager: one way to the server, one cache, one election, and everything that runs on them.
 *
 * Starts nothing, and installs no handlers: see `run` and `runUntilSignal`.
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

/** A manager with units made in another way, for tests. */
export function createManagerWith(options: ManagerOptions, makeUnit: MakeUnit): Manager {
  return new ProgramManager(settingsOf(options), makeUnit);
}

/** The life of a manager, from start to stop; a state machine, and therefore longer than other files. */
class ProgramManager implements Manager {
  readonly #settings: ManagerSettings;
  readonly #assembly: Assembly;
  readonly #controllers: readonly Part[];
  readonly #leading: readonly Part[];
  readonly #always: readonly Part[];
  readonly #gate: Gate;
  readonly #steppingDown: SteppingDown;
  readonly #stopping = new AbortController();
  /** What the manager itself lacks, which does not keep it from trying. */
  #ownTrouble: string | undefined;
  #servers: readonly HttpServer[] = [];
  #state: ManagerState = "new";
  #isLeading = false;
  #failure: Error | undefined;

  constructor(settings: ManagerSettings, makeUnit: MakeUnit) {
    const { clock, random, log } = settings;
    this.#settings = settings;
    this.#steppingDown = new SteppingDown(clock);
    this.#assembly = assemble(settings, makeUnit, {
      lead: (term) => this.#lead(term),
      onState: (state) => this.#noteElection(state),
    });
    const { units, services } = this.#assembly;
    const partsOf = (works: readonly PartWork[]): readonly Part[] =>
      works.map((work) => new Part(work, { log, onFailure: (part, error) => this.#fail(part, error) }));
    this.#controllers = partsOf(units.map(({ controller, unit }) => controllerWork(controller, unit)));
    this.#leading = partsOf(services.filter(({ when }) => when === "leading").map(serviceWork));
    this.#always = partsOf(services.filter(({ when }) => when === "always").map(serviceWork));
    checkNames(this.#parts.map(({ work }) => work));
    const { reading: client } = this.#assembly.clients;
    this.#gate = new Gate({
      ...settings.preflight,
      log,
      clock,
      random,
      ask: async (needs, signal) =>
        settings.preflight === undefined ? [] : preflight(needs, { client, clock, random, signal }),
      onDegraded: (name, degraded) => this.#recordDegraded(name, degraded),
    });
    this.#showDegraded();
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

  get flights(): FlightRecorder {
    return this.#assembly.flights;
  }

  get ports(): readonly number[] {
    return this.#servers.map(({ port }) => port);
  }

  liveChecks(): readonly Check[] {
    const { election, graceMs } = this.#settings;
    return [
      ping,
      ...(election === undefined ? [] : [this.#steppingDown.check(election.leaseMs + graceMs)]),
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
          this.#gate.isOpen
            ? this.#ownTrouble && `degraded: ${this.#ownTrouble}`
            : "failed: still finding out what this program may do",
      },
      cacheCheck(this.#assembly.cache),
      ...this.#parts.map(partCheck),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw new ArgumentError({ argument: "run", problem: "was called before." });
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
        log.info("Running", { program: this.name, controllers: this.#controllers.length });
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
    log.info("Stopped", { program: this.name });
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
      await this.#gate.open(this.#waiting(), signal);
    } catch (error) {
      // Told to stop while asking.
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    tasks.run("preflight", (inner) => this.#gate.run(inner));
    if (election === undefined) this.#beginTerm();
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
      health: { live: () => this.liveChecks(), ready: () => this.readyChecks() },
      why: whySource(this.#assembly.flights, () =>
        this.#assembly.units.map(({ unit }, i) => ({ unit, state: describe(this.#controllers[i]) })),
      ),
    });
    log.info("Serving health and metrics", { ports: this.ports });
  }

  /** Everybody whose needs are asked about: the parts, and the manager itself. */
  #waiting(): readonly Waiting[] {
    const own: Waiting[] = [
      {
        need: { name: "leader-election", access: ownAccess(this.#settings) },
        admit: () => (this.#ownTrouble = undefined),
        degrade: (why) => (this.#ownTrouble = `leader election: ${why}`),
      },
    ];
    const always = new Set(this.#always);
    const parts = this.#parts.map((part) => ({
      need: part.work.need,
      admit: () => {
        if (this.#stopping.signal.aborted) return;
        part.admit();
        if (always.has(part) || this.#isLeading) part.begin();
      },
      degrade: (why: string, reason: "kinds" | "access") => part.degrade(why, reason),
    }));
    return [...own, ...parts].filter(({ need }) => need.name !== "leader-election" || need.access.length > 0);
  }

  // ── leading ──

  #beginTerm(): void {
    this.#isLeading = true;
    for (const part of [...this.#controllers, ...this.#leading]) part.begin();
  }

  /** One term of the election: works until it ends, whether because the lease is lost or because the program stops. */
  async #lead({ signal, epoch }: Term): Promise<void> {
    this.#settings.log.info("Leading", { program: this.name, epoch });
    if (!this.#stopping.signal.aborted) this.#beginTerm();
    await aborted(signal);
    this.#isLeading = false;
    const parts = [...this.#controllers, ...this.#leading];
    for (const part of parts) part.abort(signal.reason);
    await Promise.all(parts.map(({ ended }) => ended));
  }

  #noteElection(state: ElectionState): void {
    const { log } = this.#settings;
    this.#steppingDown.note(state);
    switch (state.at) {
      case "standing-by":
        return log.info("Standing by", { holder: state.holder });
      case "waiting-out":
        return log.info("Created the missing lease; waiting until nobody who held it before can still work");
      case "stepping-down":
        return log.warn("Leading has ended", { why: state.why });
      case "leading":
      case "stopped":
    }
  }

  // ── trouble ──

  crash(origin: CrashOrigin, error: unknown): void {
    const { id: reconcileID, controller, key } = this.#assembly.correlation.reconcile() ?? {};
    this.#settings.log.error(crashMessages[origin], { controller, key, reconcileID, error });
    this.#stopFor(controller === undefined ? "program" : `controller/${controller}`, error);
  }

  #fail(part: string, error: unknown): void {
    this.#settings.log.error("Part failed, stopping", { part, error });
    this.#stopFor(part, error);
  }

  /** Stops because of an error that was logged. */
  #stopFor(part: string, error: unknown): void {
    this.#failure ??= new PartFailedError(part, { cause: error });
    this.#stopping.abort(this.#failure);
  }

  #recordDegraded(name: string, { why, install }: Degraded): void {
    const { pod } = this.#settings;
    if (pod === undefined) return;
    const subject: EventSubject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: pod.name, namespace: pod.namespace, ...(pod.uid === undefined ? {} : { uid: pod.uid }) },
    };
    const hint = install.length === 0 ? "" : ` Install with: ${install.join("; ")}`;
    const note = `${name} is not started: ${why}.${hint}`;
    this.#assembly.ownEvents?.record(subject, { type: "Warning", reason: "Degraded", action: "Preflight", note });
  }

  #showDegraded(): void {
    this.registry.register(
      new Gauge({
        name: "homeostat_controller_degraded",
        help: "Whether a controller, or a service, is not started because kinds or rights are missing (1) or not (0).",
        labels: ["controller", "reason"],
        read: (set) => {
          for (const { name, state } of this.#parts) {
            const controller = name.replace(/^controller\//, "");
            for (const reason of ["access", "kinds"] as const) {
              set({ controller, reason }, state.at === "degraded" && state.reason === reason ? 1 : 0);
            }
          }
        },
      }),
    );
  }

  // ── stop ──

  async #stop(tasks: Tasks): Promise<void> {
    this.#state = "stopping";
    const { clock, graceMs, drainMs, log } = this.#settings;
    const drainedAt = clock.monotonic() + (this.#always.some(({ isRunning }) => isRunning) ? drainMs : 0);
    const { clients } = this.#assembly;
    const reason = new ShuttingDownError();
    log.info("Stopping", { program: this.name, graceMs });
    await this.#bringDown(this.#controllers, { graceMs, reason });
    await this.#bringDown(this.#leading, { graceMs: serviceStopMs, reason });
    const leftMs = drainedAt - clock.monotonic();
    if (leftMs > 0) await clock.sleep(leftMs);
    await this.#bringDown(this.#always, { graceMs: serviceStopMs, reason });
    await within(clock, flushMs, tasks.end("events", "own-events"));
    for (const part of this.#parts) part.close(reason);
    await within(clock, cacheStopMs, tasks.end("cache", "preflight", "event-loop", "idle-memory"));
    const stuck = this.#parts.filter(({ isRunning }) => isRunning).map(({ name }) => name);
    if (stuck.length > 0) {
      const error = new PartStuckError(stuck);
      log.error("Parts did not stop", { error });
      this.#failure ??= error;
    }
    // Its fence closes at once. The Lease is given up only when no work of the term is left.
    await within(clock, stuck.length > 0 ? 0 : releaseMs, tasks.end("election"));
    this.#isLeading = false;
    this.#assembly.outage.close();
    clients.close();
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }

  /** No new work, time for what is under way, and then an end to it. */
  async #bringDown(parts: readonly Part[], { graceMs, reason }: { graceMs: number; reason: Error }): Promise<void> {
    const { clock, log } = this.#settings;
    const all = Promise.all(parts.map(({ ended }) => ended));
    for (const part of parts) part.stop(reason);
    if (await within(clock, graceMs, all)) return;
    const late = parts.filter(({ isRunning }) => isRunning);
    log.warn("Breaking off what did not end in time", { parts: late.map(({ name }) => name), graceMs });
    for (const part of late) part.abort(reason);
    await within(clock, breakOffMs, all);
  }
}

function describe(part: Part | undefined): string {
  if (part === undefined) return "unknown";
  const { state, isRunning } = part;
  if (state.at === "degraded") return `degraded: ${state.why}`;
  return isRunning ? "leading" : state.at;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
