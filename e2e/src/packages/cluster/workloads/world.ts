// A namespace in which a scenario plays: what a user does, what a kubelet would do, and what can be seen afterwards.

import type { Client } from "@homeostat/client";
import { asStored, isEqual, type KubeObject, type ResourceType, type Stored, systemClock } from "@homeostat/core";
import { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import {
  Event,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  type PodStatus,
  ResourceQuota,
  ServiceAccount,
} from "@homeostat/kubernetes/core/v1";
import { normalised } from "./normalise.ts";
import type { Side } from "./side.ts";

/** Time limit for a condition of a scenario. */
const patienceMs = 120_000;
/** Time without a change after which a namespace is settled: controllers of Kubernetes wait up to a second before a retry. */
const quietMs = 2500;
/**
 * The quiet time grows by this many times the slowest list. On a busy machine a controller is as slow as the API server, and
 * a fixed time would end between two of its steps.
 */
const slownessFactor = 10;
/** Time of all lists on a quiet machine, which adds nothing to the quiet time. */
const usualListMs = 100;

const kinds: readonly ResourceType[] = [
  Deployment,
  ReplicaSet,
  StatefulSet,
  ControllerRevision,
  Job,
  Pod,
  PersistentVolumeClaim,
];

/** What a scenario can do. */
export class World {
  readonly side: Side["name"];
  readonly client: Client;
  readonly namespace: string;

  constructor({ name, client }: Side, namespace: string) {
    this.side = name;
    this.client = client;
    this.namespace = namespace;
  }

  async open(): Promise<void> {
    await this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: this.namespace } });
    if (this.side === "ours") return;
    // Without it no pod is let in.
    await this.until(
      "there is a service account",
      async () => (await this.get(ServiceAccount, "default")) !== undefined,
    );
  }

  /** Creates an object in the namespace. */
  async create<T extends KubeObject>(type: ResourceType<T>, object: object): Promise<T> {
    const { metadata, ...rest } = object as { metadata: object };
    const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
    const whole = { apiVersion, kind: type.kind, ...rest, metadata: { ...metadata, namespace: this.namespace } };
    return this.client.create(type, whole as never);
  }

  /** Changes an object by a merge patch. */
  async change<T extends KubeObject>(
    type: ResourceType<T>,
    name: string,
    merge: object,
    subresource?: "status",
  ): Promise<void> {
    const where = { name, namespace: this.namespace };
    const options = subresource === undefined ? {} : { subresource };
    await this.client.patch(type, where, { merge: merge as never }, options);
  }

  async get<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<T | undefined> {
    return this.client.get(type, { name, namespace: this.namespace });
  }

  async list<T extends KubeObject>(type: ResourceType<T>): Promise<Stored<T>[]> {
    const { items } = await this.client.list(type, { namespace: this.namespace });
    return items.map((item) => asStored(item));
  }

  async pods(): Promise<Stored<Pod>[]> {
    const pods = await this.list(Pod);
    return pods.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, name: string, options: object = {}): Promise<void> {
    await this.client.delete(type, { name, namespace: this.namespace }, options);
  }

  /** Waits until something is true. */
  async until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = systemClock.monotonic() + patienceMs;
    while (!(await isTrue())) {
      if (systemClock.monotonic() > deadline) {
        throw new Error(
          `${this.side}: waited in vain: ${what}\n${JSON.stringify(await this.snapshot(), undefined, 1)}`,
        );
      }
      await systemClock.sleep(200);
    }
  }

  async untilPods(count: number, isMeant: (pod: Stored<Pod>) => boolean = () => true): Promise<Stored<Pod>[]> {
    let pods: Stored<Pod>[] = [];
    await this.until(`${count} pods`, async () => {
      pods = (await this.pods()).filter((pod) => pod.metadata.deletionTimestamp === undefined && isMeant(pod));
      return pods.length === count;
    });
    return pods;
  }

  /** Lets only so many pods into the namespace. */
  async limitPods(count: number): Promise<void> {
    const hard = { pods: String(count) };
    await this.create(ResourceQuota, { metadata: { name: "limit" }, spec: { hard } });
    await this.until("the quota counts", async () => {
      if ((await this.get(ResourceQuota, "limit"))?.status?.hard !== undefined) return true;
      // Where nobody counts for it, we do.
      const status = { hard, used: { pods: "0" } };
      if (this.side !== "real") await this.change(ResourceQuota, "limit", { status }, "status");
      return false;
    });
  }

  /** What a kubelet does: pods run and are ready. */
  async run(pods: readonly Stored<Pod>[]): Promise<void> {
    for (const pod of pods) await this.setPod(pod, running());
  }

  /** All pods that have no phase but Pending run and are ready. */
  async runAll(): Promise<void> {
    const pods = await this.pods();
    await this.run(
      pods.filter(({ status, metadata }) => status?.phase === "Pending" && metadata.deletionTimestamp === undefined),
    );
  }

  /** The pods end with an exit code. */
  async exit(pods: readonly Stored<Pod>[], exitCode: number): Promise<void> {
    for (const pod of pods) await this.setPod(pod, ended(pod, exitCode));
  }

  async setPod({ metadata }: Stored<Pod>, status: PodStatus): Promise<void> {
    await this.change(Pod, metadata.name, { status }, "status");
  }

  /** What a kubelet does in the end: pods that were told to go are gone. */
  async reap(): Promise<void> {
    for (const pod of await this.pods()) {
      if (pod.metadata.deletionTimestamp === undefined) continue;
      await this.delete(Pod, pod.metadata.name, { gracePeriodSeconds: 0 });
    }
  }

  /** Waits until nothing changes any more. */
  async settle(): Promise<void> {
    let before = await this.#versions();
    let since = systemClock.monotonic();
    let slowestMs = 0;
    const deadline = since + patienceMs;
    while (systemClock.monotonic() - since < quietMs + slownessFactor * slowestMs) {
      await systemClock.sleep(300);
      const asked = systemClock.monotonic();
      const now = await this.#versions();
      slowestMs = Math.max(slowestMs, systemClock.monotonic() - asked - usualListMs);
      if (!isEqual(now, before)) since = systemClock.monotonic();
      before = now;
      if (systemClock.monotonic() > deadline) throw new Error(`${this.side}: the namespace does not settle`);
    }
  }

  /** All that can be seen of the namespace, without what differs from run to run. */
  async snapshot({ isCounted = true }: { readonly isCounted?: boolean } = {}): Promise<unknown> {
    const objects = (await Promise.all(kinds.map((kind) => this.list(kind)))).flat();
    return normalised(objects, await this.list(Event), { namespace: this.namespace, isCounted });
  }

  async #versions(): Promise<unknown> {
    const objects = (await Promise.all([...kinds, Event].map((kind) => this.list(kind)))).flat();
    return objects.map(({ metadata }) => metadata.resourceVersion).toSorted();
  }
}

/** The status of a pod that runs and is ready. */
export function running(): PodStatus {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  return {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }],
  };
}

/** The status of a pod whose containers have ended. */
export function ended(pod: Stored<Pod>, exitCode: number): PodStatus {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: time }],
    containerStatuses: pod.spec.containers.map(({ name, image = "" }) => ({
      name,
      image,
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, finishedAt: time } },
    })),
  };
}
