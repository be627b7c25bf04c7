// A test cluster with the CRDs of the operator, and the steps that its tests share.

import { asStored, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import {
  type ClusterWithClock,
  isAccessReview,
  type RequestHooks,
  type RunningOperator,
  type SentRequest,
  startClusterWithClock,
  TestCluster,
  type TestClusterOptions,
} from "@homeostat/operator-testing";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import type { Component } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import { localComponents, type LocalComponents } from "../app-model/local.ts";
import { componentPort } from "../component/contract.ts";
import { childTypes } from "../observe/kinds.ts";
import { chronikOperator } from "../operator.ts";
import { clusterInput, type SpecInput } from "./clusters.ts";

export { conditionOf } from "@homeostat/operator-testing";

/** Counts the reads and writes of reconciles. Lists and watches of the cache, events and access reviews are omitted. */
function isCounted(sent: SentRequest): boolean {
  if (isAccessReview(sent) || sent.path.includes("/events")) return false;
  return sent.method !== "GET" || !/[?&]watch=|[?&]limit=/.test(sent.path);
}

/** Options for running the operator. */
export interface RunOptions extends Omit<RequestHooks, "isCounted"> {
  readonly user?: string | undefined;
  /** Values of its flags. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Version that clusters record. */
  readonly version?: string | undefined;
  /** Called before each call of a component; an error that it throws is one of the operator. */
  readonly beforeCall?: (() => void) | undefined;
}

export const namespace = "streaming";

/** Times that keep tests short: pods count as ready at once, and restarts follow each other without delay. */
export const quick: SpecInput = {
  updateStrategy: { minReadySeconds: 0, restartDelaySeconds: 0 },
};

/** Options of {@link Bench.start}. */
export interface BenchOptions extends TestClusterOptions {
  /** True to install CRDs without defaults and validation. */
  readonly hasLooseCrds?: boolean | undefined;
}

/** Returns a CRD that accepts any spec. */
function withoutSchema(crd: ReturnType<typeof ChronikCluster.crd>): ReturnType<typeof ChronikCluster.crd> {
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
  const openAPIV3Schema = { ...any, properties: { status: { ...any, default: {} } } };
  const versions = crd.spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema } }));
  return { ...crd, spec: { ...crd.spec, versions } };
}

/** A test cluster with the CRDs of the operator. Components are called without sockets, so a test depends on virtual time alone. */
export class Bench extends TestCluster {
  readonly #components: LocalComponents;

  private constructor(cluster: ClusterWithClock, components: LocalComponents) {
    super(cluster, { stepMs: 1_000, turns: 12 });
    this.#components = components;
  }

  static async start({ hasLooseCrds = false, ...options }: BenchOptions = {}): Promise<Bench> {
    const components = localComponents({
      startMs: 1,
      stopMs: 1,
      drainMs: 2_000,
      isNeverReady: () => false,
      neverDrains: () => false,
    });
    const bench = new Bench(await startClusterWithClock({ models: [components.model], ...options }), components);
    for (const type of [ChronikCluster, ChronikNodeGroup])
      await bench.client.create(CustomResourceDefinition, hasLooseCrds ? withoutSchema(type.crd()) : type.crd());
    const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } as const;
    await bench.client.raw({
      method: "POST",
      path: "/api/v1/namespaces",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(home),
    });
    return bench;
  }

  /** Runs the operator. */
  async run({ settings = {}, version, beforeCall, ...options }: RunOptions = {}): Promise<RunningOperator> {
    return this.runOperator({
      ...options,
      operator: (random) =>
        chronikOperator({
          operatorNamespace: "chronik-operator-system",
          random,
          version,
          resolvePod: (host, port) => {
            beforeCall?.();
            return { host, port };
          },
          sendToPod: this.#components.send,
        }),
      run: { namespace: "chronik-operator-system" },
      // Most tests count writes, and periodic applies would add some.
      settings: { forceApplySeconds: 0, ...settings },
      isCounted,
    });
  }

  /** Creates a cluster. */
  async create(name: string, spec: SpecInput = {}): Promise<Stored<ChronikCluster>> {
    const { metadata: _metadata, ...rest } = clusterInput({ ...quick, ...spec }, name);
    return asStored(
      await this.client.create(ChronikCluster, ChronikCluster.default({ ...rest, metadata: { name, namespace } })),
    );
  }

  /** Creates a cluster with any spec, on a cluster with loose CRDs. */
  async createAny(name: string, spec: unknown): Promise<void> {
    await this.client.raw({
      method: "POST",
      path: `/apis/chronik.stream/v1alpha1/namespaces/${namespace}/chronikclusters`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "chronik.stream/v1alpha1",
        kind: "ChronikCluster",
        metadata: { name, namespace },
        spec,
      }),
    });
  }

  async get(name: string): Promise<ChronikCluster> {
    return this.existing(ChronikCluster, { namespace, name });
  }

  /** Changes the spec of a cluster. */
  async change(name: string, spec: object): Promise<void> {
    await this.client.patch(ChronikCluster, { namespace, name }, { merge: { spec } });
  }

  /** Turns misbehaviors of the component in a pod on or off; see `misbehaviors` of the component stub. */
  async misbehave(pod: string, switches: Readonly<Record<string, boolean>>): Promise<void> {
    const { status } = await this.object(Pod, pod);
    await this.#components.send({
      host: status?.podIP ?? "",
      port: componentPort,
      method: "POST",
      path: "/misbehave",
      body: JSON.stringify(switches),
      signal: AbortSignal.timeout(5_000),
      bodyBytesMax: 1_000,
    });
  }

  async annotate(name: string, annotation: string, value: string | null): Promise<void> {
    await this.client.patch(
      ChronikCluster,
      { namespace, name },
      { merge: { metadata: { annotations: { [annotation]: value } } } },
    );
  }

  /** Waits until a cluster satisfies a predicate. */
  async waitFor(name: string, is: (cluster: ChronikCluster) => boolean, what = "a status"): Promise<ChronikCluster> {
    return this.untilObject(ChronikCluster, { namespace, name }, { what, is });
  }

  async phase(name: string, phase: string): Promise<ChronikCluster> {
    return this.waitFor(name, ({ status }) => status.phase === phase, `phase ${phase}`);
  }

  /** Waits until a cluster runs with its latest spec. */
  async running(name: string): Promise<ChronikCluster> {
    return this.waitFor(
      name,
      ({ metadata, status }) => status.phase === "Running" && status.observedGeneration === metadata.generation,
      "Running",
    );
  }

  async untilDeleted(name: string): Promise<void> {
    await this.until(
      `${name} is deleted`,
      async () => (await this.client.get(ChronikCluster, { namespace, name })) === undefined,
    );
  }

  /** Returns an object that must exist. */
  async object<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<T> {
    return this.existing(type, { namespace, name });
  }

  /** Returns the objects of a cluster, sorted: `Service demo-ingest`. */
  async objects(cluster: string): Promise<string[]> {
    const found: string[] = [];
    for (const type of childTypes) {
      const { items } = await this.client.list(type, { namespace, labelSelector: `${labels.cluster}=${cluster}` });
      // EndpointSlices of Services inherit their labels.
      const owned = items.filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ kind }) => kind === "ChronikCluster"),
      );
      found.push(...owned.map(({ metadata }) => `${type.kind} ${metadata.name ?? ""}`));
    }
    return found.toSorted();
  }

  /** Returns the pods of a component by name. */
  async pods(cluster: string, component: Component): Promise<readonly Pod[]> {
    const labelSelector = `${labels.cluster}=${cluster},${labels.clusterComponent}=${component}`;
    const { items } = await this.client.list(Pod, { namespace, labelSelector });
    return items.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  }

  /** Returns the UIDs of the controllers and ingest nodes by name. */
  async uids(cluster: string): Promise<ReadonlyMap<string, string>> {
    const pods = [...(await this.pods(cluster, "controller")), ...(await this.pods(cluster, "ingest"))];
    return new Map(pods.map(({ metadata: { name = "", uid = "" } }) => [name, uid]));
  }

  /** Returns the claims of a cluster by name. */
  async claims(cluster: string): Promise<readonly PersistentVolumeClaim[]> {
    const { items } = await this.client.list(PersistentVolumeClaim, {
      namespace,
      labelSelector: `${labels.cluster}=${cluster}`,
    });
    return items.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  }

  /** Returns the events of a cluster, oldest first, as `TYPE REASON: MESSAGE`. */
  async events(name: string): Promise<string[]> {
    return this.eventsOf("ChronikCluster", { namespace, name });
  }
}
