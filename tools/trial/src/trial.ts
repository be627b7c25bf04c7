import { setImmediate as turn } from "node:timers/promises";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, type ClusterOptions, startCluster } from "@homeostat/cluster";
import { FakeClock, type Random, SeededRandom } from "@homeostat/core";
import { Event } from "@homeostat/kubernetes/core/v1";
import { createOperatorManager, type Operator, type OperatorManagerOptions } from "@homeostat/operator";
import { keepingLogger, type LogLine, Registry } from "@homeostat/runtime";
import { type Life, MortalTransport, type Sent } from "./mortal-transport.ts";

/** A cluster within the process, and the clock it goes by. */
export interface Place {
  readonly cluster: Cluster;
  readonly clock: FakeClock;
}

/** Starts a cluster whose time a test moves. */
export async function openPlace(options: Pick<ClusterOptions, "parts" | "nodes"> = {}): Promise<Place> {
  const clock = new FakeClock();
  return { cluster: await startCluster({ ...options, clock, random: new SeededRandom(1) }), clock };
}

/** How finely time passes while something is waited for, and how often everybody gets a turn in between. */
export interface Pace {
  readonly stepMs: number;
  readonly turns: number;
}

/** How an operator is run. */
export interface RunPlan extends Life, Pick<OperatorManagerOptions, "settings"> {
  /** Makes the operator; it goes by the clock of the trial and by this chance. */
  readonly operator: (random: Random) => Operator;
  readonly run: NonNullable<OperatorManagerOptions["run"]>;
  /** Who it is; who may do everything unless said. */
  readonly user?: string | undefined;
}

/** One process of an operator. */
export interface Running extends AsyncDisposable {
  readonly lines: readonly LogLine[];
  /** The steps of its work. */
  readonly sent: readonly Sent[];
  /** Method and path of all requests it has sent, with those that only follow the cluster. */
  readonly requests: readonly string[];
  readonly isDead: boolean;
  readonly registry: Registry;
  readonly operator: Operator;
  /** Which steps changed something beside events: `PATCH services/acme-redis`. */
  writes(): readonly string[];
  /** What a metric says; undefined when it says nothing. */
  metric(name: string, labels: Readonly<Record<string, string>>): number | undefined;
  stop(): Promise<void>;
}

/** A cluster whose time a test moves, and operators on it that can die in the middle of a request. */
export class Trial implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly cluster: Cluster;
  readonly client: Client;
  readonly #pace: Pace;

  constructor({ cluster, clock }: Place, pace: Pace) {
    this.cluster = cluster;
    this.clock = clock;
    this.client = createClient(cluster.transport(), { clock });
    this.#pace = pace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }

  /** Runs an operator, without what only a process of its own has: webhooks, an election, pages. */
  async runOperator(plan: RunPlan): Promise<Running> {
    const lines: LogLine[] = [];
    const registry = new Registry();
    const stopping = new AbortController();
    const inner = this.cluster.transport(plan.user === undefined ? undefined : { user: plan.user });
    const transport = new MortalTransport(inner, plan, () => stopping.abort());
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
      log: keepingLogger(lines),
      registry,
      clock: this.clock,
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
      get isDead() {
        return transport.isDead;
      },
      registry,
      operator,
      writes: () => writesOf(transport.sent),
      metric: (name, labels) => metricOf(registry, name, labels),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  }

  /** Lets time pass, in so many steps: between them everybody can do what does not wait for time. */
  async pass(ms: number, steps: number = Math.min(40, Math.max(1, Math.ceil(ms / 250)))): Promise<void> {
    const stepMs = ms / steps;
    for (let left = ms; left > 0; left -= stepMs) await this.#step(Math.min(left, stepMs), 4);
  }

  /** Waits until something is so, for at most some minutes of the clock. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>, minutes: number = 10): Promise<T> {
    const { stepMs, turns } = this.#pace;
    for (let leftMs = minutes * 60_000; leftMs > 0; leftMs -= stepMs) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await this.#step(stepMs, turns);
    }
    throw new Error(`it did not come true: ${what}`);
  }

  /** What the events of an object say: type, reason, message. */
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

function writesOf(sent: readonly Sent[]): readonly string[] {
  return sent
    .filter(({ method, path }) => method !== "GET" && !path.includes("/events"))
    .map(({ method, path }) => {
      const [place = ""] = path.split("?");
      return `${method} ${place.replace(/^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?/, "")}`;
    });
}

function metricOf(registry: Registry, name: string, labels: Readonly<Record<string, string>>): number | undefined {
  const marks = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const line = registry
    .expose()
    .split("\n")
    .find((each) => each.startsWith(`${name}{`) && marks.every((mark) => each.includes(mark)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
}
