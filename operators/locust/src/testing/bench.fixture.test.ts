// A cluster with the kind of load tests, whose time a test moves.

import type { ClusterOptions } from "@homeostat/cluster";
import { asStored, formatTime, type Stored } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Job, type JobStatus } from "@homeostat/kubernetes/batch/v1";
import { Namespace, Pod, type PodStatus, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { asksForRights, type CrashPoint, openPlace, type Running, type Sent, Trial } from "@homeostat/trial";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";

/** What follows the cluster, and asks what may be done, is no step of the work. */
function isCounted(sent: Sent): boolean {
  const { method, path } = sent;
  if (asksForRights(sent)) return false;
  if (method !== "GET") return true;
  return /\/(?:jobs|services|locusttests|pods|events|configmaps)\/[^/?]+/.test(path) || path.includes("fieldSelector");
}

/** Whether a request makes a Job, and does not only ask whether one could be made. */
function isJobMade({ method, path }: Sent): boolean {
  return method === "POST" && /\/jobs(?:\?|$)/.test(path) && !path.includes("dryRun=");
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

/** A cluster with the CRD, and a clock. */
export class Bench extends Trial {
  #count = 0;

  static async start(options: Pick<ClusterOptions, "parts" | "nodes"> = {}): Promise<Bench> {
    const bench = new Bench(await openPlace(options), { stepMs: 100, turns: 4 });
    await bench.client.create(CustomResourceDefinition, LocustTest.crd());
    return bench;
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
    const { env = {}, user, crash, more = [], jobsMade = [], isLost = () => false } = options;
    const { settings } = readSettings({ LIVE_STATS_ENABLED: "false", ...env });
    const resolve = (ip: string, port: number) => this.cluster.addressOf(ip, port);
    return this.runOperator({
      operator: (random) => locustOperator({ settings, clock: this.clock, random, resolve }),
      run: { watchNamespaces: [namespace, ...more], namespace },
      isCounted,
      crash,
      user,
      fault: (sent) => (isCounted(sent) && isLost(sent) ? "lost" : undefined),
      onAnswer: (sent, status) => {
        if (isJobMade(sent) && status === 201) jobsMade.push(/"name":"([^"]+)"/.exec(sent.body)?.[1] ?? sent.body);
      },
    });
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
    return this.eventsOf("LocustTest", { namespace, name });
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
