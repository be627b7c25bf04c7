// A test cluster with the LocustTest CRD, and the steps that tests of the operator share.

import { asStored, formatTime, type Stored } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Job, type JobStatus } from "@homeostat/kubernetes/batch/v1";
import { Namespace, Pod, type PodStatus, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import {
  type CrashPoint,
  isAccessReview,
  type RunningOperator,
  type SentRequest,
  startClusterWithClock,
  TestCluster,
  type TestClusterOptions,
} from "@homeostat/operator-testing";
import { locustModel } from "../app-model/locust.ts";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";

export { conditionOf } from "@homeostat/operator-testing";

/** Counts the reads and writes of reconciles. Lists and watches of the cache and access reviews are omitted. */
function isCounted(sent: SentRequest): boolean {
  const { method, path } = sent;
  if (isAccessReview(sent)) return false;
  if (method !== "GET") return true;
  return /\/(?:jobs|services|locusttests|pods|events|configmaps)\/[^/?]+/.test(path) || path.includes("fieldSelector");
}

/** Reports whether a request creates a Job and is not a dry run. */
function isJobMade({ method, path }: SentRequest): boolean {
  return method === "POST" && /\/jobs(?:\?|$)/.test(path) && !path.includes("dryRun=");
}

/** Options for running the operator. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly crash?: CrashPoint | undefined;
  /** Collects the name of every Job that is created. */
  readonly jobsMade?: string[] | undefined;
  /** Selects requests that fail without reaching the API server. */
  readonly isLost?: ((sent: SentRequest) => boolean) | undefined;
  /** Additional namespaces to watch. */
  readonly more?: readonly string[] | undefined;
  /** Watches every namespace, with one controller and its workers for all of them. */
  readonly isClusterWide?: boolean | undefined;
  /** The user that it authenticates as. Default: the cluster administrator. */
  readonly user?: string | undefined;
}

/** A test cluster with the LocustTest CRD. */
export class Bench extends TestCluster {
  #count = 0;

  static async start(options: TestClusterOptions = {}): Promise<Bench> {
    const bench = new Bench(await startClusterWithClock({ models: [locustModel], ...options }), {
      stepMs: 100,
      turns: 4,
    });
    await bench.client.create(CustomResourceDefinition, LocustTest.crd());
    return bench;
  }

  /** Creates a namespace, one per test: tests do not see the objects of others. */
  async namespace(): Promise<string> {
    this.#count += 1;
    const name = `n${this.#count}`;
    await this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    // Pods need the default service account, which no controller creates here.
    const account = {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: name, name: "default" },
    } as const;
    if (this.cluster.nodes.length === 0) await this.client.create(ServiceAccount, account).catch(() => undefined);
    return name;
  }

  /** Runs the operator for one namespace. */
  async run(namespace: string, options: RunOptions = {}): Promise<RunningOperator> {
    const { env = {}, user, crash, more = [], isClusterWide = false, jobsMade = [], isLost = () => false } = options;
    const { settings } = readSettings({ LIVE_STATS_ENABLED: "false", ...env });
    const resolve = (ip: string, port: number) => this.cluster.addressOf(ip, port);
    return this.runOperator({
      operator: (random) => locustOperator({ settings, clock: this.operatorClock, random, resolve }),
      run: { watchNamespaces: isClusterWide ? [] : [namespace, ...more], namespace },
      isCounted,
      crash,
      user,
      fault: (sent) => (isCounted(sent) && isLost(sent) ? "lost" : undefined),
      onResponse: (sent, status) => {
        if (isJobMade(sent) && status === 201) jobsMade.push(/"name":"([^"]+)"/.exec(sent.body)?.[1] ?? sent.body);
      },
    });
  }

  /** Creates a test. */
  async create(
    namespace: string,
    name: string,
    change: Partial<LocustTestInput["spec"]> = {},
  ): Promise<Stored<LocustTest>> {
    return asStored(await this.client.create(LocustTest, LocustTest.default(testNamed(namespace, name, change))));
  }

  async get(namespace: string, name: string): Promise<LocustTest> {
    return this.existing(LocustTest, { namespace, name });
  }

  /** Waits until a test satisfies a predicate. */
  async waitFor(
    namespace: string,
    name: string,
    is: (test: LocustTest) => boolean,
    what = "a status",
  ): Promise<LocustTest> {
    return this.untilObject(LocustTest, { namespace, name }, { what, is });
  }

  async phase(namespace: string, name: string, phase: string): Promise<LocustTest> {
    return this.waitFor(namespace, name, ({ status }) => status?.phase === phase, `phase ${phase}`);
  }

  /** Returns the Services and Jobs of a namespace: `Job a-master`. */
  async objects(namespace: string): Promise<string[]> {
    const services = await this.client.list(Service, { namespace });
    const jobs = await this.client.list(Job, { namespace });
    return [
      ...services.items.map(({ metadata }) => `Service ${metadata.name}`),
      ...jobs.items.map(({ metadata }) => `Job ${metadata.name}`),
    ];
  }

  async job(namespace: string, name: string): Promise<Job> {
    return this.existing(Job, { namespace, name });
  }

  /** Writes the status of a Job, as the Job controller does. */
  async setJob(namespace: string, name: string, status: JobStatus): Promise<void> {
    await this.client.patch(Job, { namespace, name }, { merge: { status } }, { subresource: "status" });
  }

  /** Completes or fails a Job, as the Job controller does. */
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

  /** Creates a pod of a Job, with a status as the kubelet writes it. */
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

  /** Returns the events of a test, oldest first, as `TYPE REASON: MESSAGE`. */
  async events(namespace: string, name: string): Promise<string[]> {
    return this.eventsOf("LocustTest", { namespace, name });
  }
}

/** Builds the manifest of a test with two workers. */
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
