// A cluster within the process, whose time a test moves, and operators on it that can die in the middle of a request.

import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { type Client, createClient, type Request, type Response, type Transport } from "@homeostat/client";
import { type Cluster, type ClusterOptions, startCluster } from "@homeostat/cluster";
import {
  asStored,
  FakeClock,
  type KubeObject,
  NetworkError,
  type ResourceType,
  SeededRandom,
  type Stored,
} from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Event, Namespace } from "@homeostat/kubernetes/core/v1";
import { createOperatorManager, type Operator } from "@homeostat/operator";
import { type LogFields, type Logger, Registry } from "@homeostat/runtime";
import { Tenant, type TenantInput } from "../api/tenant.ts";
import { tenantOperator } from "../operator.ts";
import { childTypes } from "../reconcile/kinds.ts";

/** A request that an operator has sent, as far as it matters: not those that only follow the cluster. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** When a process dies: with which of its requests, and whether that still reaches the server. */
export interface CrashPoint {
  /** Counted from 1. */
  readonly nth: number;
  readonly when: "before" | "after";
}

/** A way to the server that a process loses when it dies. */
class MortalTransport implements Transport {
  readonly sent: Sent[] = [];
  isDead = false;
  readonly #inner: Transport;
  readonly #options: RunOptions;
  readonly #onDeath: () => void;

  constructor(inner: Transport, options: RunOptions, onDeath: () => void) {
    this.#inner = inner;
    this.#options = options;
    this.#onDeath = onDeath;
  }

  async send(request: Request): Promise<Response> {
    if (this.isDead) throw dead(request);
    const { crash, onWrite, fault } = this.#options;
    const refusal = fault?.(request);
    if (refusal !== undefined) return answerOf(refusal);
    if (!isCounted(request)) return this.#inner.send(request);
    const body = typeof request.body === "string" ? request.body : Buffer.from(request.body ?? "").toString();
    const sent = { method: request.method, path: request.path, body };
    this.sent.push(sent);
    if (request.method !== "GET") await onWrite?.(sent);
    if (this.sent.length !== crash?.nth) return this.#inner.send(request);
    if (crash.when === "after") await this.#inner.send(request);
    this.isDead = true;
    this.#onDeath();
    throw dead(request);
  }
}

/** What an API server answers that cannot do what it is asked for. */
function answerOf(status: number): Response {
  const text = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "not now",
    code: status,
  });
  const pieces = [Buffer.from(text)];
  const body = { [Symbol.asyncIterator]: () => Readable.from(pieces)[Symbol.asyncIterator](), cancel: () => undefined };
  return { status, headers: { "content-type": "application/json" }, body };
}

function dead({ method, path }: Request): NetworkError {
  return new NetworkError({ request: { method, path }, requestSent: true });
}

/** What follows the cluster, tells events, and asks what may be done, is no step of the work. */
function isCounted({ method, path }: Request): boolean {
  if (path.includes("selfsubjectaccessreviews") || path.includes("selfsubjectrulesreviews")) return false;
  if (/\/events(?:\?|$|\/)/.test(path)) return method === "GET" && path.includes("fieldSelector");
  if (method !== "GET") return true;
  return /\/(?:namespaces|tenants|customresourcedefinitions|storageclasses)\//.test(path) && !path.includes("watch=");
}

/** A line of the log. */
export interface Line extends LogFields {
  readonly level: string;
  readonly message: string;
}

function keepingLogger(lines: Line[], base: LogFields = {}): Logger {
  const at =
    (level: string): Logger["info"] =>
    (message, fields) =>
      void lines.push({ ...base, ...fields, level, message });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => keepingLogger(lines, { ...base, ...fields }),
  };
}

/** How an operator is run. */
export interface RunOptions {
  readonly crash?: CrashPoint | undefined;
  /** Answers requests with this status instead of the server; undefined lets them through. */
  readonly fault?: ((request: Request) => number | undefined) | undefined;
  /** Told of every write before it is sent. */
  readonly onWrite?: ((sent: Sent) => void | Promise<void>) | undefined;
  /** Who it is; who may do everything unless said. */
  readonly user?: string | undefined;
  /** Values of its flags. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** One process of the operator. */
export interface Running extends AsyncDisposable {
  readonly lines: readonly Line[];
  readonly sent: readonly Sent[];
  readonly isDead: boolean;
  readonly registry: Registry;
  readonly operator: Operator;
  /** What of that changed something: `PATCH services/acme-redis`. */
  writes(): readonly string[];
  /** What a metric says; undefined when it says nothing. */
  metric(name: string, labels: Readonly<Record<string, string>>): number | undefined;
  stop(): Promise<void>;
}

/** A cluster with the CRD, and a clock. */
export class Bench implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly cluster: Cluster;
  readonly client: Client;
  #passwords = 0;

  private constructor(cluster: Cluster, clock: FakeClock) {
    this.cluster = cluster;
    this.clock = clock;
    this.client = createClient(cluster.transport(), { clock });
  }

  static async start(options: Pick<ClusterOptions, "parts" | "nodes"> = {}): Promise<Bench> {
    const clock = new FakeClock();
    const random = new SeededRandom(1);
    const bench = new Bench(await startCluster({ ...options, clock, random }), clock);
    await bench.client.create(CustomResourceDefinition, Tenant.crd());
    return bench;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }

  /** Runs an operator. */
  async run(options: RunOptions = {}): Promise<Running> {
    const { user, settings = {} } = options;
    const lines: Line[] = [];
    const registry = new Registry();
    const stopping = new AbortController();
    const inner = this.cluster.transport(user === undefined ? undefined : { user });
    const transport = new MortalTransport(inner, options, () => stopping.abort());
    const random = new SeededRandom(7);
    const operator = tenantOperator({
      clock: this.clock,
      random,
      secureBytes: (count) => {
        this.#passwords += 1;
        return Buffer.alloc(count, this.#passwords);
      },
    });
    const manager = createOperatorManager(operator, {
      connection: transport,
      run: {
        namespace: "neurallog-system",
        webhooks: false,
        leaderElect: false,
        metricsBindAddress: "0",
        healthProbeBindAddress: "0",
        grace: 0,
      },
      settings,
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
      get isDead() {
        return transport.isDead;
      },
      registry,
      operator,
      writes: () =>
        transport.sent
          .filter(({ method }) => method !== "GET")
          .map(
            ({ method, path }) =>
              `${method} ${path.replace(/\?.*$/, "").replace(/^.*\/v1\/(?:namespaces\/[^/]+\/)?/, "")}`,
          ),
      metric: (name, labels) => {
        const marks = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
        const line = registry
          .expose()
          .split("\n")
          .find((each) => each.startsWith(`${name}{`) && marks.every((mark) => each.includes(mark)));
        return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  }

  /** Lets time pass, in so many steps: between them everybody can do what does not wait for time. */
  async pass(ms: number, steps = Math.min(40, Math.max(1, Math.ceil(ms / 250)))): Promise<void> {
    const stepMs = ms / steps;
    for (let left = ms; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(left, stepMs));
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
  }

  /** Waits until something is so, for at most some minutes of the clock. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>, minutes = 10): Promise<T> {
    for (let leftMs = minutes * 60_000; leftMs > 0; leftMs -= 250) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await this.clock.advance(250);
      for (let turns = 0; turns < 8; turns += 1) await turn();
    }
    throw new Error(`it did not come true: ${what}`);
  }

  /** Makes a tenant. */
  async create(name: string, spec: TenantInput["spec"] = {}): Promise<Stored<Tenant>> {
    const tenant: TenantInput = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name }, spec };
    return asStored(await this.client.create(Tenant, Tenant.default(tenant)));
  }

  async get(name: string): Promise<Tenant> {
    const found = await this.client.get(Tenant, { name });
    if (found === undefined) throw new Error(`there is no tenant ${name}`);
    return found;
  }

  /** Changes the spec of a tenant. */
  async change(name: string, spec: object): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge: { spec } });
  }

  async annotate(name: string, annotation: string, value: string): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge: { metadata: { annotations: { [annotation]: value } } } });
  }

  /** Waits for a tenant to say something. */
  async say(name: string, is: (tenant: Tenant) => boolean, what = "a status"): Promise<Tenant> {
    return this.until(`${what} of ${name}`, async () => {
      const tenant = await this.client.get(Tenant, { name });
      return tenant !== undefined && is(tenant) && tenant;
    });
  }

  async phase(name: string, phase: string): Promise<Tenant> {
    return this.say(name, ({ status }) => status?.phase === phase, `phase ${phase}`);
  }

  async gone(name: string): Promise<void> {
    await this.until(`${name} is gone`, async () => (await this.client.get(Tenant, { name })) === undefined);
  }

  /** What is in a tenant's namespace, sorted: `Service acme-redis`. */
  async objects(namespace: string): Promise<string[]> {
    const found: string[] = [];
    for (const type of childTypes.values()) {
      const { items } = await this.client.list(type, { namespace });
      found.push(...items.map(({ metadata }) => `${type.kind} ${metadata.name ?? ""}`));
    }
    return found.filter((each) => !foreign.has(each)).toSorted();
  }

  /** An object that must be there. */
  async object<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<T> {
    const found = await this.client.get(type, { namespace, name });
    if (found === undefined) throw new Error(`there is no ${type.kind} ${namespace}/${name}`);
    return found;
  }

  /** Waits until a tenant runs as it was last asked to. */
  async running(name: string): Promise<Tenant> {
    return this.say(
      name,
      ({ metadata, status }) => status?.phase === "Running" && status.observedGeneration === metadata.generation,
      "Running",
    );
  }

  /** Takes a tenant away with everything that belongs to it, while no operator runs. */
  async remove(name: string): Promise<void> {
    await this.client.delete(Tenant, { name });
    const left = await this.client.get(Tenant, { name });
    if (left !== undefined) await this.client.patch(Tenant, { name }, { merge: { metadata: { finalizers: null } } });
    const namespace = `tenant-${name}`;
    if ((await this.client.get(Namespace, { name: namespace })) === undefined) return;
    for (const type of childTypes.values()) {
      const { items } = await this.client.list(type, { namespace });
      for (const { metadata } of items) await this.client.delete(type, { namespace, name: metadata.name ?? "" });
    }
    await this.dropNamespace(namespace);
  }

  /** Deletes a namespace at once, whatever is in it, as if its content had been cleared away. */
  async dropNamespace(name: string): Promise<void> {
    await this.client.delete(Namespace, { name });
    const left = await this.client.get(Namespace, { name });
    if (left === undefined) return;
    const body = JSON.stringify({ ...left, spec: { finalizers: [] } });
    const headers = { "content-type": "application/json" };
    await this.client.raw({ method: "PUT", path: `/api/v1/namespaces/${name}/finalize`, headers, body });
  }

  async namespace(name: string, metadata: Namespace["metadata"] = {}): Promise<Namespace> {
    return this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { ...metadata, name } });
  }

  /** What the events of a tenant say: type, reason, message. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.client.list(Event, { namespace: "default" });
    return items
      .filter(({ involvedObject }) => involvedObject.kind === "Tenant" && involvedObject.name === name)
      .toSorted((one, other) => ((one.eventTime ?? "") < (other.eventTime ?? "") ? -1 : 1))
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }
}

/** What the cluster itself puts into every namespace. */
const foreign: ReadonlySet<string> = new Set(["ConfigMap kube-root-ca.crt", "ServiceAccount default"]);

/** One condition as a line: status, reason, message. */
export function conditionOf(tenant: Tenant, type: string): string | undefined {
  const found = tenant.status?.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}
