import { setImmediate as turn } from "node:timers/promises";
import { type Client, createClient, type ObjectName } from "@homeostat/client";
import { type Cluster, type ClusterOptions, startCluster } from "@homeostat/cluster";
import {
  type Clock,
  type Condition,
  FakeClock,
  type KubeObject,
  type Random,
  type ResourceType,
  SeededRandom,
} from "@homeostat/core";
import { Event } from "@homeostat/kubernetes/core/v1";
import {
  type AccessRecorder,
  accessRecorder,
  createOperatorManager,
  type Operator,
  type OperatorManagerOptions,
} from "@homeostat/operator";
import { recordingLogger, type LogLine, Registry } from "@homeostat/runtime";
import { CrashingTransport, type RequestHooks, type SentRequest } from "./crashing-transport.ts";

/** An embedded cluster and its virtual clock. */
export interface ClusterWithClock {
  readonly cluster: Cluster;
  readonly clock: FakeClock;
}

/** Parts of the embedded cluster that an operator's tests choose. */
export type TestClusterOptions = Pick<ClusterOptions, "parts" | "nodes" | "models">;

/** Starts an embedded cluster with virtual time, which the test advances. */
export async function startClusterWithClock(options: TestClusterOptions = {}): Promise<ClusterWithClock> {
  const clock = new FakeClock();
  return { cluster: await startCluster({ ...options, clock, random: new SeededRandom(1) }), clock };
}

/** Pace of `TestCluster.until`: how far it advances the clock between two checks, and how many event loop turns follow. */
export interface Pace {
  readonly stepMs: number;
  readonly turns: number;
}

/** Options of `TestCluster.runOperator`. */
export interface RunPlan extends RequestHooks, Pick<OperatorManagerOptions, "election" | "settings"> {
  /** Builds the operator; it must use `operatorClock` and this source of randomness. */
  readonly operator: (random: Random) => Operator;
  readonly run: NonNullable<OperatorManagerOptions["run"]>;
  /** The user that the operator authenticates as. Default: `operatorUser` of the test cluster. */
  readonly user?: string | undefined;
}

/** One process of an operator. */
export interface RunningOperator extends AsyncDisposable {
  readonly lines: readonly LogLine[];
  /** The counted requests, in order. */
  readonly sent: readonly SentRequest[];
  /** Method and path of all requests, with the lists and watches of the cache. */
  readonly requests: readonly string[];
  readonly hasCrashed: boolean;
  readonly registry: Registry;
  readonly operator: Operator;
  /** The counted writes of anything but events: `PATCH services/acme-redis`. */
  writes(): readonly string[];
  /** The value of a metric; undefined when it has no sample with these labels. */
  metric(name: string, labels: Readonly<Record<string, string>>): number | undefined;
  stop(): Promise<void>;
}

/** An embedded cluster with virtual time, and operators that can crash at any request. */
export class TestCluster implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly cluster: Cluster;
  readonly client: Client;
  /** The user that operators authenticate as. Default: the cluster administrator. */
  operatorUser: string | undefined;
  /** The clock of operators. Default: the clock of the cluster; an `OffsetClock` of it for tests of clock skew. */
  operatorClock: Clock;
  /** The permissions that all operators on this cluster have used. */
  readonly access: AccessRecorder = accessRecorder();
  readonly #pace: Pace;

  constructor({ cluster, clock }: ClusterWithClock, pace: Pace) {
    this.cluster = cluster;
    this.clock = clock;
    this.operatorClock = clock;
    this.client = createClient(cluster.transport(), { clock });
    this.#pace = pace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }

  /** Runs an operator without webhooks, leader election and HTTP endpoints, which need their own process. */
  async runOperator(plan: RunPlan): Promise<RunningOperator> {
    const lines: LogLine[] = [];
    const registry = new Registry();
    const stopping = new AbortController();
    const user = plan.user ?? this.operatorUser;
    const server = this.access.layer(this.cluster.transport(user === undefined ? undefined : { user }));
    const transport = new CrashingTransport(server, plan, () => stopping.abort());
    const random = new SeededRandom(7);
    const operator = plan.operator(random);
    const manager = createOperatorManager(operator, {
      connection: transport,
      run: {
        webhooks: false,
        leaderElect: false,
        metricsBindAddress: "0",
        healthProbeBindAddress: "0",
        grace: 0,
        ...plan.run,
      },
      settings: plan.settings ?? {},
      ...(plan.election !== undefined && { election: plan.election }),
      log: recordingLogger(lines),
      registry,
      clock: this.operatorClock,
      random,
      env: {},
    });
    const life = { isOver: false };
    const done = manager.run(stopping.signal).finally(() => {
      life.isOver = true;
    });
    const stop = async (): Promise<void> => {
      stopping.abort();
      while (!life.isOver) await this.pass(100);
      await done;
    };
    return {
      lines,
      sent: transport.sent,
      requests: transport.all,
      get hasCrashed() {
        return transport.hasCrashed;
      },
      registry,
      operator,
      writes: () => writesOf(transport.sent),
      metric: (name, labels) => metricOf(registry, name, labels),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  }

  /** Advances the clock in steps. Between steps, all work runs that does not wait for time. */
  async pass(ms: number, steps: number = Math.min(40, Math.max(1, Math.ceil(ms / 250)))): Promise<void> {
    const stepMs = ms / steps;
    for (let left = ms; left > 0; left -= stepMs) await this.#step(Math.min(left, stepMs), 4);
  }

  /** Advances the clock until `look` returns a value, by at most this many minutes. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>, minutes: number = 10): Promise<T> {
    const { stepMs, turns } = this.#pace;
    for (let leftMs = minutes * 60_000; leftMs > 0; leftMs -= stepMs) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await this.#step(stepMs, turns);
    }
    throw new Error(`Timed out after ${minutes} minutes of virtual time waiting for: ${what}`);
  }

  /** Returns an object that must exist. */
  async existing<T extends KubeObject>(type: ResourceType<T>, at: ObjectName): Promise<T> {
    const found = await this.client.get(type, at);
    if (found === undefined) throw new Error(`${type.kind} ${nameOf(at)} does not exist`);
    return found;
  }

  /** Waits until an object exists and satisfies a predicate. */
  async untilObject<T extends KubeObject>(
    type: ResourceType<T>,
    at: ObjectName,
    { what, is }: { readonly what: string; readonly is: (object: T) => boolean },
  ): Promise<T> {
    return this.until(`${what} of ${type.kind} ${nameOf(at)}`, async () => {
      const found = await this.client.get(type, at);
      return found !== undefined && is(found) && found;
    });
  }

  /** Returns the events about an object, oldest first, as `TYPE REASON: MESSAGE`. */
  async eventsOf(kind: string, { namespace, name }: { namespace: string; name: string }): Promise<string[]> {
    const { items } = await this.client.list(Event, { namespace });
    return items
      .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name)
      .toSorted((one, other) => ((one.eventTime ?? "") < (other.eventTime ?? "") ? -1 : 1))
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  async #step(ms: number, turns: number): Promise<void> {
    await this.clock.advance(ms);
    for (let count = 0; count < turns; count += 1) await turn();
  }
}

/** Returns one condition of an object as `STATUS REASON: MESSAGE`; undefined when it has none of that type. */
export function conditionOf(
  { status }: { readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined },
  type: string,
): string | undefined {
  const found = status?.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}

function nameOf({ namespace, name }: ObjectName): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function writesOf(sent: readonly SentRequest[]): readonly string[] {
  return sent.filter(isWrite).map(({ method, path }) => {
    const [place = ""] = path.split("?");
    return `${method} ${place.replace(/^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?/, "")}`;
  });
}

/** Reports whether a request changes an object other than an Event. */
export function isWrite({ method, path }: SentRequest): boolean {
  return method !== "GET" && !path.includes("/events");
}

function metricOf(registry: Registry, name: string, labels: Readonly<Record<string, string>>): number | undefined {
  const marks = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const line = registry
    .expose()
    .split("\n")
    .find((each) => each.startsWith(`${name}{`) && marks.every((mark) => each.includes(mark)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
}
