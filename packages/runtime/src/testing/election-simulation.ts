import {
  AlreadyExistsError,
  type ApiFailure,
  type Clock,
  ConflictError,
  FakeClock,
  NetworkError,
  NotFoundError,
  SeededRandom,
  type Timer,
  type TimeoutSignal,
} from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import { LeaseElection } from "../election/lease-election.ts";
import type { LeaseStore } from "../election/lease-store.ts";
import type { ElectionOptions } from "../election/options.ts";
import type { Rules } from "../election/rules.ts";

/** A failure of the API server. */
export function failure(status: number, reason: string, serverMessage = ""): ApiFailure {
  return { status, reason, serverMessage, causes: [], details: {}, hasStatus: true };
}

/** The API server: one Lease with optimistic locking. */
export class LeaseServer {
  lease: Lease | undefined;
  #version = 0;
  #uid = 0;

  create(lease: Lease): Lease {
    if (this.lease !== undefined) throw new AlreadyExistsError(failure(409, "AlreadyExists"));
    this.#uid += 1;
    return this.#put({ ...lease, metadata: { ...lease.metadata, uid: `uid-${this.#uid}` } });
  }

  update(lease: Lease): Lease {
    if (this.lease === undefined) throw new NotFoundError(failure(404, "NotFound"));
    const { resourceVersion, uid } = lease.metadata;
    const held = this.lease.metadata;
    if (resourceVersion !== undefined && (resourceVersion !== held.resourceVersion || uid !== held.uid)) {
      throw new ConflictError(failure(409, "Conflict", "the object has been modified"));
    }
    return this.#put(lease);
  }

  /** Changes the Lease as a client that takes no part in the election. */
  edit(change: (lease: Lease) => Lease): void {
    if (this.lease !== undefined) this.#put(change(this.lease));
  }

  #put(lease: Lease): Lease {
    this.#version += 1;
    this.lease = structuredClone({
      ...lease,
      metadata: { ...lease.metadata, resourceVersion: String(this.#version) },
    });
    return this.lease;
  }
}

/** The clock of one process: faster or slower than true time, with a different time of day, and stopped while the process is paused. */
export class ProcessClock implements Clock {
  readonly #world: FakeClock;
  readonly #rate: number;
  readonly #offset: number;
  #wallSkewMs: number;
  #isPaused = false;
  #timers: (() => void)[] = [];
  #responses: (() => void)[] = [];

  constructor(
    world: FakeClock,
    { rate = 1, offset = 0, wallSkewMs = 0 }: { rate?: number; offset?: number; wallSkewMs?: number } = {},
  ) {
    this.#world = world;
    this.#rate = rate;
    this.#offset = offset;
    this.#wallSkewMs = wallSkewMs;
  }

  now(): number {
    return this.#world.now() + this.#wallSkewMs;
  }

  monotonic(): number {
    return this.#world.monotonic() * this.#rate + this.#offset;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const timer = this.schedule(ms, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
      const stop = (): void => {
        timer[Symbol.dispose]();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  timeout(ms: number): TimeoutSignal {
    const controller = new AbortController();
    const timer = this.schedule(ms, () => controller.abort(new Error("time is up")));
    return { signal: controller.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  schedule(ms: number, call: () => void): Timer {
    let isCancelled = false;
    const fire = (): void => {
      if (isCancelled) return;
      if (this.#isPaused) this.#timers.push(fire);
      else call();
    };
    const timer = this.#world.schedule(ms / this.#rate, fire);
    return {
      [Symbol.dispose]: () => {
        isCancelled = true;
        timer[Symbol.dispose]();
      },
    };
  }

  /** Resolves at once, or when the process is resumed. */
  async awake(): Promise<void> {
    if (this.#isPaused) await new Promise<void>((resolve) => void this.#responses.push(resolve));
  }

  jumpWall(ms: number): void {
    this.#wallSkewMs += ms;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Resumes the process, either with the expired timers first, or with the received responses first, which is worse. */
  resume({ responsesFirst = false }: { responsesFirst?: boolean } = {}): void {
    this.#isPaused = false;
    const [timers, responses] = [this.#timers, this.#responses];
    [this.#timers, this.#responses] = [[], []];
    for (const call of responsesFirst ? responses : timers) call();
    // The rest follows when everything that these have triggered is done.
    this.#world.schedule(0, () => {
      for (const call of responsesFirst ? timers : responses) call();
    });
  }
}

/** Behaviour of the network between one process and the server. */
export interface Network {
  isCut: boolean;
  /** Share of responses that are lost although the request was performed. */
  lostAnswers: number;
  latencyMaxMs: number;
}

/** The connection between a process and the server. */
export interface StoreOptions {
  readonly world: FakeClock;
  readonly clock: ProcessClock;
  readonly network: Network;
  readonly random: SeededRandom;
  /** Called when the server has performed the request and the response is in transit. */
  readonly onServed?: () => void;
}

/** A store behind a simulated network. */
export function storeOver(
  server: LeaseServer,
  { world, clock, network, random, onServed = () => {} }: StoreOptions,
): LeaseStore {
  const never = (): Promise<never> => new Promise<never>(() => {});
  const exchange = async <T>(serve: () => T): Promise<T> => {
    if (network.isCut) return never();
    await world.sleep(random.next() * network.latencyMaxMs);
    let response: { value: T } | { error: unknown };
    try {
      response = { value: serve() };
    } catch (error) {
      response = { error };
    }
    onServed();
    await world.sleep(random.next() * network.latencyMaxMs);
    if (network.isCut || random.next() < network.lostAnswers) {
      if (random.next() < 0.5) return never();
      response = { error: new NetworkError({ socketCode: "ECONNRESET", requestSent: true }) };
    }
    await clock.awake();
    if ("error" in response) throw response.error;
    return response.value;
  };
  return {
    get: () => exchange(() => server.lease),
    create: (lease) => exchange(() => server.create(lease)),
    update: (lease) => exchange(() => server.update(lease)),
  };
}

/** Options of {@link simulate}. */
export interface SimulationOptions {
  readonly seed: number;
  readonly rules: Rules;
  readonly handovers: number;
  /** Ends the simulation even without that many handovers. */
  readonly trueMsMax: number;
  /** Bounds of the clock rates of the processes. */
  readonly rates: readonly [min: number, max: number];
  readonly durations?: Pick<ElectionOptions, "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs">;
  /** True if the server checks the resource version of writes. Default: true. */
  readonly isConditional?: boolean;
}

/** Result of a simulation. */
export interface SimulationResult {
  readonly handovers: number;
  readonly terms: number;
  /** Times at which two processes were allowed to write. */
  readonly violations: readonly string[];
}

interface Process {
  readonly identity: string;
  readonly clock: ProcessClock;
  readonly network: Network;
  readonly election: LeaseElection;
  readonly stop: AbortController;
  isDead: boolean;
}

/** Simulates three processes that compete for one Lease under many random faults. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, rules, rates, durations = {}, isConditional = true } = options;
  const random = new SeededRandom(`election ${seed}`);
  const world = new FakeClock();
  const server = new LeaseServer();
  const violations: string[] = [];
  const leaseMs = durations.leaseDurationMs ?? 15_000;
  let processes: Process[] = [];
  let started = 0;
  let handovers = 0;
  let terms = 0;
  let lastLeader = "";

  const look = (): void => {
    const open = processes.filter(({ isDead, election }) => !isDead && election.isOpen);
    if (open.length > 1) violations.push(`${world.monotonic()}: ${open.map(({ identity }) => identity).join(" and ")}`);
  };

  const start = (): Process => {
    started += 1;
    const identity = `p${started}`;
    const own = random.fork(identity);
    const rate = rates[0] * (rates[1] / rates[0]) ** own.next();
    const clock = new ProcessClock(world, { rate, offset: own.int(1e6), wallSkewMs: (own.next() - 0.5) * 7_200_000 });
    const network: Network = { isCut: false, lostAnswers: 0, latencyMaxMs: 50 };
    const direct = storeOver(server, {
      world,
      clock,
      network,
      random: own,
      // The worst time for a pause: the Lease has just been acquired, and its new holder does not know it yet.
      onServed: () => {
        const isNews = server.lease?.spec?.holderIdentity === identity && lastLeader !== identity;
        if (isNews && own.next() < 0.1) pauseFor(process, own.next() * leaseMs * 2.5);
      },
    });
    const watched = async <T>(call: Promise<T>): Promise<T> => {
      try {
        return await call;
      } finally {
        // After the election has received the response.
        void Promise.resolve().then(look);
      }
    };
    const free = (lease: Lease): Lease => {
      if (isConditional) return lease;
      const { resourceVersion: _, ...metadata } = lease.metadata;
      return { ...lease, metadata };
    };
    const store: LeaseStore = {
      get: (signal) => watched(direct.get(signal)),
      create: (lease, signal) => watched(direct.create(lease, signal)),
      update: (lease, signal) => watched(direct.update(free(lease), signal)),
    };
    const election = new LeaseElection(
      {
        ...durations,
        store,
        identity,
        clock,
        random: own,
        name: "sim",
        namespace: "default",
        lead: async ({ signal }) => {
          terms += 1;
          if (lastLeader !== identity) handovers += 1;
          lastLeader = identity;
          look();
          if (!signal.aborted)
            await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          await clock.sleep(own.next() * 2_000);
        },
      },
      rules,
    );
    const process: Process = { identity, clock, network, election, stop: new AbortController(), isDead: false };
    void election.run(process.stop.signal).then(() => (process.isDead = true));
    processes.push(process);
    return process;
  };

  const later = (ms: number, run: () => void): void => void world.schedule(ms, run);
  const pauseFor = ({ clock }: Process, ms: number): void => {
    if (clock.isPaused) return;
    clock.pause();
    later(ms, () => {
      look();
      clock.resume({ responsesFirst: random.next() < 0.5 });
    });
  };
  const replace = (old: Process): void => {
    processes = processes.filter((process) => process !== old || !process.isDead);
    later(random.next() * 3_000, () => {
      processes = processes.filter(({ isDead }) => !isDead);
      start();
    });
  };
  const misfortune = (): void => {
    const alive = processes.filter(({ isDead }) => !isDead);
    const leader = alive.find(({ election }) => election.isOpen);
    const any = alive[random.int(Math.max(1, alive.length))];
    const victim = leader !== undefined && random.next() < 0.7 ? leader : any;
    if (victim === undefined) return;
    const { network, clock } = victim;
    const span = random.next() * leaseMs * 2.5;
    const edit = (spec: Partial<NonNullable<Lease["spec"]>>): void =>
      server.edit((lease) => ({ ...lease, spec: { ...lease.spec, ...spec } }));
    const acts: readonly (() => void)[] = [
      () => pauseFor(victim, span),
      () => pauseFor(victim, span),
      () => {
        network.isCut = true;
        later(span, () => (network.isCut = false));
      },
      () => {
        network.lostAnswers = 0.6;
        later(span, () => (network.lostAnswers = 0));
      },
      () => {
        network.latencyMaxMs = random.next() * leaseMs;
        later(span, () => (network.latencyMaxMs = 50));
      },
      () => {
        victim.stop.abort();
        replace(victim);
      },
      () => {
        victim.stop.abort();
        replace(victim);
      },
      () => {
        victim.isDead = true;
        clock.pause();
        replace(victim);
      },
      () => clock.jumpWall((random.next() - 0.5) * 7_200_000),
      () => (server.lease = undefined),
      () => {
        // The worst time to delete it: its holder does not notice, and the process that recreates it does not stay.
        network.isCut = true;
        later(span, () => (network.isCut = false));
        server.lease = undefined;
        later(2_500, () => {
          const creator = processes.find(({ election }) => election.state.at === "waiting-out");
          creator?.stop.abort();
          if (creator !== undefined) replace(creator);
        });
      },
      // Not with a duration of one second: together they mark a Lease that its holder released.
      () => edit({ holderIdentity: "", leaseDurationSeconds: leaseMs / 1000 }),
      () => edit({ holderIdentity: any?.identity ?? "" }),
      () => {
        if (server.lease?.spec?.holderIdentity !== "") edit({ leaseDurationSeconds: 1 });
      },
      () => server.edit((lease) => ({ ...lease, metadata: { ...lease.metadata, labels: { at: `${world.now()}` } } })),
    ];
    acts[random.int(acts.length)]?.();
  };

  for (let i = 0; i < 3; i += 1) start();
  while (handovers < options.handovers && world.monotonic() < options.trueMsMax && violations.length === 0) {
    await world.advance(random.next() * leaseMs);
    misfortune();
    // Sometimes a second fault in addition: combinations are the worst.
    if (random.next() < 0.4) misfortune();
  }
  return { handovers, terms, violations };
}
