// A namespace for one scenario: actions of a user, actions of a kubelet, and the observed results.

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
import type { Subject } from "./subject.ts";

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

/** Actions of a scenario. */
export class Stage {
  readonly side: Subject["name"];
  readonly client: Client;
  readonly namespace: string;

  constructor({ name, client }: Subject, namespace: string) {
    this.side = name;
    this.client = client;
    this.namespace = namespace;
  }

  async open(): Promise<void> {
    await this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: this.namespace } });
    if (this.side === "ours") return;
    // Without a service account, no pod is admitted.
    await this.until(
      "the service account exists",
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

  /** Waits until a condition holds. */
  async until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = systemClock.monotonic() + patienceMs;
    while (!(await isTrue())) {
      if (systemClock.monotonic() > deadline) {
        throw new Error(
          `${this.side}: timed out waiting until ${what}\n${JSON.stringify(await this.snapshot(), undefined, 1)}`,
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

  /** Limits the number of pods in the namespace by a quota. */
  async limitPods(count: number): Promise<void> {
    const hard = { pods: String(count) };
    await this.create(ResourceQuota, { metadata: { name: "limit" }, spec: { hard } });
    await this.until("the quota counts", async () => {
      if ((await this.get(ResourceQuota, "limit"))?.status?.hard !== undefined) return true;
      // Writes the quota's usage where no quota controller runs.
      const status = { hard, used: { pods: "0" } };
      if (this.side !== "real") await this.change(ResourceQuota, "limit", { status }, "status");
      return false;
    });
  }

  /** Acts as the kubelet: marks pods as running and ready. */
  async run(pods: readonly Stored<Pod>[]): Promise<void> {
    for (const pod of pods) await this.setPod(pod, running());
  }

  /** Marks all Pending pods as running and ready. */
  async runAll(): Promise<void> {
    const pods = await this.pods();
    await this.run(
      pods.filter(({ status, metadata }) => status?.phase === "Pending" && metadata.deletionTimestamp === undefined),
    );
  }

  /** Ends the pods with an exit code. */
  async exit(pods: readonly Stored<Pod>[], exitCode: number): Promise<void> {
    for (const pod of pods) await this.setPod(pod, ended(pod, exitCode));
  }

  async setPod({ metadata }: Stored<Pod>, status: PodStatus): Promise<void> {
    await this.change(Pod, metadata.name, { status }, "status");
  }

  /** Acts as the kubelet: removes terminating pods. */
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
      if (systemClock.monotonic() > deadline) throw new Error(`${this.side}: the namespace did not become idle`);
    }
  }

  /** Returns everything observable in the namespace, without what differs between runs. */
  async snapshot({ isCounted = true }: { readonly isCounted?: boolean } = {}): Promise<unknown> {
    const objects = (await Promise.all(kinds.map((kind) => this.list(kind)))).flat();
    return normalised(objects, await this.list(Event), { namespace: this.namespace, isCounted });
  }

  async #versions(): Promise<unknown> {
    const objects = (await Promise.all([...kinds, Event].map((kind) => this.list(kind)))).flat();
    return objects.map(({ metadata }) => metadata.resourceVersion).toSorted();
  }
}

/** Returns the status of a pod that is running and ready. */
export function running(): PodStatus {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  return {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }],
  };
}

/** Returns the status of a pod whose containers have ended. */
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
