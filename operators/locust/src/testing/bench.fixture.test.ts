// A cluster within the process, whose time a test moves, and operators on it that can die in the middle of a request.

import { setImmediate as turn } from "node:timers/promises";
import { type Cluster, type ClusterOptions, startCluster } from "@homeostat/cluster";
import { type Client, createClient, type Request, type Response, type Transport } from "@homeostat/client";
import { asStored, FakeClock, formatTime, NetworkError, SeededRandom, type Stored } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Job, type JobStatus } from "@homeostat/kubernetes/batch/v1";
import { Event, Namespace, Pod, type PodStatus, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { createOperatorManager, type Operator, operatorManifests } from "@homeostat/operator";
import { type LogFields, type Logger, Registry } from "@homeostat/runtime";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { readConfig } from "../config/read-config.ts";
import { locustOperator } from "../operator.ts";

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
  /** Method and path of all requests, with those that only follow the cluster. */
  readonly all: string[] = [];
  isDead = false;
  readonly #inner: Transport;
  readonly #crash: CrashPoint | undefined;
  readonly #jobsMade: string[];
  readonly #isLost: (sent: Sent) => boolean;
  readonly #onDeath: () => void;

  constructor(inner: Transport, { crash, jobsMade = [], isLost = () => false }: RunOptions, onDeath: () => void) {
    this.#inner = inner;
    this.#crash = crash;
    this.#jobsMade = jobsMade;
    this.#isLost = isLost;
    this.#onDeath = onDeath;
  }

  async send(request: Request): Promise<Response> {
    if (this.isDead) throw dead(request);
    this.all.push(`${request.method} ${request.path}`);
    if (!isCounted(request)) return this.#inner.send(request);
    const body = typeof request.body === "string" ? request.body : Buffer.from(request.body ?? "").toString();
    const sent = { method: request.method, path: request.path, body };
    if (this.#isLost(sent)) throw dead(request);
    this.sent.push(sent);
    const isNow = this.sent.length === this.#crash?.nth;
    if (!isNow) return this.#pass(request, body);
    if (this.#crash?.when === "after") await this.#pass(request, body);
    this.isDead = true;
    this.#onDeath();
    throw dead(request);
  }

  async #pass(request: Request, body: string): Promise<Response> {
    const answer = await this.#inner.send(request);
    if (isJobMade(request) && answer.status === 201) {
      this.#jobsMade.push(/"name":"([^"]+)"/.exec(body)?.[1] ?? body);
    }
    return answer;
  }
}

/** Whether a request makes a Job, and does not only ask whether one could be made. */
function isJobMade({ method, path }: Request): boolean {
  return method === "POST" && /\/jobs(?:\?|$)/.test(path) && !path.includes("dryRun=");
}

function dead({ method, path }: Request): NetworkError {
  return new NetworkError({ request: { method, path }, requestSent: true });
}

/** What follows the cluster, and asks what may be done, is no step of the work. */
function isCounted({ method, path }: Request): boolean {
  if (path.includes("selfsubjectaccessreviews") || path.includes("selfsubjectrulesreviews")) return false;
  if (method !== "GET") return true;
  return /\/(?:jobs|services|locusttests|pods|events|configmaps)\/[^/?]+/.test(path) || path.includes("fieldSelector");
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
  readonly env?: Readonly<Record<string, string>>;
  readonly crash?: CrashPoint | undefined;
  /** Gets the name of every Job that is made. */
  readonly jobsMade?: string[] | undefined;
  /** Which requests get lost on their way. */
  readonly isLost?: ((sent: Sent) => boolean) | undefined;
  /** More namespaces that it works in. */
  readonly more?: readonly string[] | undefined;
  /** Who it is; who may do everything unless said. */
  readonly user?: string | undefined;
}

/** One process of the operator. */
export interface Running extends AsyncDisposable {
  readonly lines: readonly Line[];
  readonly sent: readonly Sent[];
  readonly isDead: boolean;
  /** Method and path of all requests it has sent, with those that only follow the cluster. */
  readonly requests: readonly string[];
  readonly registry: Registry;
  readonly operator: Operator;
  /** What of that changed something beside events. */
  writes(): readonly string[];
  stop(): Promise<void>;
}

/** A cluster with the CRD, and a clock. */
export class Bench implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly cluster: Cluster;
  readonly client: Client;
  #count = 0;

  private constructor(cluster: Cluster, clock: FakeClock) {
    this.cluster = cluster;
    this.clock = clock;
    this.client = createClient(cluster.transport(), { clock });
  }

  static async start(options: Pick<ClusterOptions, "parts" | "nodes"> = {}): Promise<Bench> {
    const clock = new FakeClock();
    const random = new SeededRandom(1);
    const bench = new Bench(await startCluster({ ...options, clock, random }), clock);
    for (const object of operatorManifests(locustOperator(readConfig({})), { webhooks: false })) {
      if (object.kind !== "CustomResourceDefinition") continue;
      await bench.client.create(CustomResourceDefinition, LocustTest.crd());
    }
    return bench;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }

  /** A namespace of its own, so that tests do not see each other. */
  async namespace(): Promise<string> {
    this.#count += 1;
    const name = `n${this.#count}`;
    await this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    // A pod waits for the account of its namespace, which nobody makes where there are no controllers.
    const account = {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: name, name: "default" },
    } as const;
    if (this.cluster.nodes.length === 0) await this.client.create(ServiceAccount, account).catch(() => undefined);
    return name;
  }

  /** Runs an operator for one namespace. */
  async run(namespace: string, options: RunOptions = {}): Promise<Running> {
    const { env = {}, user, more = [] } = options;
    const lines: Line[] = [];
    const registry = new Registry();
    const stopping = new AbortController();
    const transport = new MortalTransport(
      this.cluster.transport(user === undefined ? undefined : { user }),
      options,
      () => stopping.abort(),
    );
    const { config } = readConfig({ LIVE_STATS_ENABLED: "false", ...env });
    const random = new SeededRandom(7);
    const operator = locustOperator({
      config,
      clock: this.clock,
      random,
      resolve: (ip, port) => this.cluster.addressOf(ip, port),
    });
    const manager = createOperatorManager(operator, {
      connection: transport,
      run: {
        watchNamespaces: [namespace, ...more],
        namespace,
        webhooks: false,
        leaderElect: false,
        metricsBindAddress: "0",
        healthProbeBindAddress: "0",
        grace: 0,
      },
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
      requests: transport.all,
      registry,
      operator,
      writes: () =>
        transport.sent
          .filter(({ method, path }) => method !== "GET" && !path.includes("/events"))
          .map(({ method, path }) => `${method} ${path.replace(/\?.*$/, "").replace(/^.*\/namespaces\/[^/]+\//, "")}`),
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
    for (let leftMs = minutes * 60_000; leftMs > 0; leftMs -= 100) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await this.clock.advance(100);
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
    throw new Error(`it did not come true: ${what}`);
  }

  /** Makes a test. */
  async create(
    namespace: string,
    name: string,
    change: Partial<LocustTestInput["spec"]> = {},
  ): Promise<Stored<LocustTest>> {
    return asStored(await this.client.create(LocustTest, LocustTest.default(testNamed(namespace, name, change))));
  }

  async get(namespace: string, name: string): Promise<LocustTest> {
    const found = await this.client.get(LocustTest, { namespace, name });
    if (found === undefined) throw new Error(`there is no test ${namespace}/${name}`);
    return found;
  }

  /** Waits for a test to say something. */
  async say(
    namespace: string,
    name: string,
    is: (test: LocustTest) => boolean,
    what = "a status",
  ): Promise<LocustTest> {
    return this.until(`${what} of ${namespace}/${name}`, async () => {
      const test = await this.client.get(LocustTest, { namespace, name });
      return test !== undefined && is(test) && test;
    });
  }

  async phase(namespace: string, name: string, phase: string): Promise<LocustTest> {
    return this.say(namespace, name, ({ status }) => status?.phase === phase, `phase ${phase}`);
  }

  /** The Jobs and Services of a namespace: kind and name, with the uid where that matters. */
  async objects(namespace: string): Promise<string[]> {
    const services = await this.client.list(Service, { namespace });
    const jobs = await this.client.list(Job, { namespace });
    return [
      ...services.items.map(({ metadata }) => `Service ${metadata.name}`),
      ...jobs.items.map(({ metadata }) => `Job ${metadata.name}`),
    ];
  }

  async job(namespace: string, name: string): Promise<Job> {
    const found = await this.client.get(Job, { namespace, name });
    if (found === undefined) throw new Error(`there is no Job ${namespace}/${name}`);
    return found;
  }

  /** Says of a Job what its controller would. */
  async setJob(namespace: string, name: string, status: JobStatus): Promise<void> {
    await this.client.patch(Job, { namespace, name }, { merge: { status } }, { subresource: "status" });
  }

  /** Ends a Job as its controller would. */
  async endJob(
    namespace: string,
    name: string,
    type: "Complete" | "Failed",
    reason = "BackoffLimitExceeded",
  ): Promise<void> {
    const time = formatTime(this.clock.now());
    const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
    const condition = {
      status: "True",
      reason: type === "Complete" ? "CompletionsReached" : reason,
      lastTransitionTime: time,
    };
    await this.setJob(namespace, name, {
      startTime: time,
      ...(type === "Complete" ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
      active: 0,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: [
        { type: interim, ...condition },
        { type, ...condition },
      ],
    });
  }

  /** Makes a pod of a Job, which says of itself what a kubelet would. */
  async pod(namespace: string, job: string, name: string, status: PodStatus = {}): Promise<void> {
    const { metadata } = await this.job(namespace, job);
    await this.client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        namespace,
        name,
        labels: { "managed-by": "locust-k8s-operator", "batch.kubernetes.io/controller-uid": metadata.uid ?? "" },
        ownerReferences: [
          { apiVersion: "batch/v1", kind: "Job", name: job, uid: metadata.uid ?? "", controller: true },
        ],
      },
      spec: { containers: [{ name: job, image: "locustio/locust:2.46.3" }], restartPolicy: "Never" },
    });
    await this.setPod(namespace, name, status);
  }

  async setPod(namespace: string, name: string, status: PodStatus): Promise<void> {
    await this.client.patch(Pod, { namespace, name }, { merge: { status } }, { subresource: "status" });
  }

  /** What the events of a test say: type, reason, message. */
  async events(namespace: string, name: string): Promise<string[]> {
    const { items } = await this.client.list(Event, { namespace });
    return items
      .filter(({ involvedObject }) => involvedObject.kind === "LocustTest" && involvedObject.name === name)
      .toSorted((one, other) => ((one.eventTime ?? "") < (other.eventTime ?? "") ? -1 : 1))
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }
}

/** A test with two workers, as it is applied. */
export function testNamed(
  namespace: string,
  name: string,
  change: Partial<LocustTestInput["spec"]> = {},
): LocustTestInput {
  return {
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { namespace, name },
    spec: {
      image: "locustio/locust:2.46.3",
      master: {
        command: "--locustfile /f.py --users 5 --spawn-rate 5 --run-time 20s",
        autoquit: { enabled: true, timeout: 2 },
      },
      worker: { command: "--locustfile /f.py", replicas: 2 },
      ...change,
    },
  };
}

/** One condition as a line: status, reason, message. */
export function conditionOf(test: LocustTest, type: string): string | undefined {
  const found = test.status?.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}
