import type { Client } from "@homeostat/client";
import { type Clock, type Random } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Cache, Informer, Logger } from "@homeostat/runtime";
import type { ObjectEvents } from "../events/core-events.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Disks } from "./disks.ts";
import type { NodeDelays } from "./machine-step.ts";
import type { AddressRange, Network } from "./network.ts";
import { PodLogError, type PodLogOptions, readLog } from "./pod-logs.ts";
import { PodWorker } from "./pod-worker.ts";
import type { PodView } from "./pod-view.ts";
import type { AppModel } from "./program.ts";
import {
  type ImageScript,
  isForImage,
  readScripts,
  type Script,
  scriptAnnotation,
  type ScriptProblem,
} from "./script.ts";

/** Dependencies and settings of a {@link Kubelet}. */
export interface KubeletParts {
  readonly node: string;
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: ObjectEvents;
  readonly config: ClusterConfig;
  readonly network: Network;
  readonly disks: Disks;
  readonly addresses: AddressRange;
  readonly hostIP: string;
  readonly delays: NodeDelays;
  readonly models: readonly AppModel[];
  readonly scripts: readonly ImageScript[];
  readonly images: Set<string>;
  readonly logCharactersMax: number;
  readonly signal: AbortSignal;
}

/** Most events for the problems of one script annotation. */
const problemsMax = 10;

/** Runs the pods that are bound to a node, one {@link PodWorker} per pod. */
export class Kubelet {
  readonly #parts: KubeletParts;
  readonly #pods: Informer<Pod>;
  readonly #workers = new Map<string, PodWorker>();
  readonly #endings = new Set<Promise<void>>();
  /** Addresses of pods that are not terminal, by the key of the pod. */
  readonly #addresses = new Map<string, string>();
  /** Keys of pods that wait for an address, in order. */
  readonly #waitingForAddress = new Set<string>();
  /** Keys of pods that are not terminal, by namespace. */
  readonly #active = new Map<string, Set<string>>();

  constructor(parts: KubeletParts) {
    this.#parts = parts;
    this.#pods = parts.cache.informer(Pod, { fields: `spec.nodeName=${parts.node}` });
  }

  /** Starts to run pods. Resolves when a worker exists for each pod that is bound already. */
  async start(signal: AbortSignal): Promise<void> {
    const { config } = this.#parts;
    await config.ready(signal);
    await this.#pods.ready(signal);
    config.onChange((namespace) => {
      for (const key of this.#active.get(namespace) ?? []) this.#workers.get(key)?.recheck();
    });
    const subscription = this.#pods.subscribe(({ type, key, object }) => {
      if (type === "delete") this.#stop(key);
      else this.#run(key, object);
    });
    await subscription.replayed;
  }

  /** Reports whether the node runs a pod of that name. */
  hasPod({ namespace, name }: { readonly namespace: string; readonly name: string }): boolean {
    return this.#workers.has(`${namespace}/${name}`);
  }

  /** Returns the log of a container. Throws {@link PodLogError} when pod, container or log does not exist. */
  podLogs(options: PodLogOptions): AsyncIterable<Uint8Array> {
    const { namespace, name, previous = false } = options;
    const worker = this.#workers.get(`${namespace}/${name}`);
    if (worker === undefined)
      throw new PodLogError({ status: 404, reason: "NotFound", message: `pods "${name}" not found` });
    const container = containerName(worker.pod, options.container);
    const logs = worker.logsOf(container);
    if (logs === undefined) {
      const reason = waitingReason(worker.pod, container);
      throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
    }
    const ring = previous ? logs.previous : logs.current;
    if (ring === undefined) throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
    return readLog(ring, options, this.#parts.clock);
  }

  /** Stops all workers and waits until nothing is running. */
  async dispose(): Promise<void> {
    this.#pods[Symbol.dispose]();
    this.#waitingForAddress.clear();
    for (const key of this.#workers.keys()) this.#stop(key);
    await Promise.all(this.#endings);
  }

  #run(key: string, pod: PodView): void {
    const known = this.#workers.get(key);
    const isTerminal = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (known !== undefined && known.uid === pod.metadata.uid) {
      known.update(pod);
      if (isTerminal) this.#release(key);
      return;
    }
    if (known !== undefined) this.#stop(key);
    // A terminal pod keeps its address in its status, but the address may belong to another pod by now.
    const ip = isTerminal ? (pod.status?.podIP ?? this.#parts.hostIP) : this.#reserve(key, pod);
    if (ip === undefined) return;
    if (!isTerminal) this.#setActive(key);
    const worker = new PodWorker(pod, { ...this.#parts, settings: this.#settingsOf(pod, ip) });
    this.#workers.set(key, worker);
    worker.start();
  }

  /**
   * Reserves an address for a pod. Returns undefined when the range is exhausted; the pod is then started when an
   * address is released.
   */
  #reserve(key: string, pod: PodView): string | undefined {
    const { addresses, hostIP, events } = this.#parts;
    if (pod.spec?.hostNetwork === true) return hostIP;
    const before = pod.status?.podIP;
    const ip = before !== undefined && addresses.claim(before) ? before : addresses.take();
    if (ip === undefined) {
      this.#waitingForAddress.add(key);
      events.record(pod, {
        type: "Warning",
        reason: "FailedCreatePodSandBox",
        message: "no IP addresses available in range set",
      });
      return undefined;
    }
    this.#waitingForAddress.delete(key);
    this.#addresses.set(key, ip);
    return ip;
  }

  /** Releases the address of a pod that is terminal or deleted, and starts the first pod that waits for an address. */
  #release(key: string): void {
    const namespace = key.slice(0, key.indexOf("/"));
    const active = this.#active.get(namespace);
    if (active?.delete(key) === true && active.size === 0) this.#active.delete(namespace);
    const ip = this.#addresses.get(key);
    if (ip === undefined) return;
    this.#addresses.delete(key);
    this.#parts.addresses.release(ip);
    for (const next of this.#waitingForAddress) {
      this.#waitingForAddress.delete(next);
      const pod = this.#pods.get(next);
      if (pod !== undefined) this.#run(next, pod);
      if (this.#addresses.has(next)) return;
    }
  }

  #setActive(key: string): void {
    const namespace = key.slice(0, key.indexOf("/"));
    const active = this.#active.get(namespace);
    if (active === undefined) this.#active.set(namespace, new Set([key]));
    else active.add(key);
  }

  #settingsOf(pod: PodView, ip: string): ConstructorParameters<typeof PodWorker>[1]["settings"] {
    const { scripts, hostIP, delays, random, config, images, events } = this.#parts;
    const own = readScripts(pod.metadata.annotations?.[scriptAnnotation]);
    const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    const unknown = containers.flatMap(({ name }) => this.#modelProblem(own.for(name, false), name));
    for (const { path, message } of [...own.problems, ...unknown].slice(0, problemsMax)) {
      const where = path === "" ? scriptAnnotation : `${scriptAnnotation}: ${path}`;
      events.record(pod, { type: "Warning", reason: "InvalidSimulation", message: `${where} ${message}` });
    }
    const scriptOf = (name: string, isInit: boolean): Script => {
      const image = containers.find((one) => one.name === name)?.image ?? "";
      const byImage = scripts.find((one) => isForImage(one, image))?.script;
      return { ...byImage, ...own.for(name, isInit) };
    };
    return { ip, hostIP, delays, random, config, images, scriptOf };
  }

  #modelProblem({ model }: Script, container: string): readonly ScriptProblem[] {
    const names = this.#parts.models.map(({ name }) => name);
    if (model === undefined || names.includes(model)) return [];
    return [
      {
        path: "model",
        message: `is ${model} for container ${container}, which is unknown; known models are ${names.join(", ")}`,
      },
    ];
  }

  #stop(key: string): void {
    this.#waitingForAddress.delete(key);
    const worker = this.#workers.get(key);
    if (worker === undefined) return;
    this.#workers.delete(key);
    this.#release(key);
    const ending = worker.dispose().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}

function badRequest(message: string): PodLogError {
  return new PodLogError({ status: 400, reason: "BadRequest", message });
}

function containerName({ spec, metadata: { name = "" } }: PodView, requested: string | undefined): string {
  const apps = (spec?.containers ?? []).map((one) => one.name);
  const all = [...(spec?.initContainers ?? []).map((one) => one.name), ...apps];
  if (requested !== undefined && requested !== "") {
    if (all.includes(requested)) return requested;
    throw badRequest(`container ${requested} is not valid for pod ${name}`);
  }
  const [only, ...others] = apps;
  if (only !== undefined && others.length === 0) return only;
  const inits = (spec?.initContainers ?? []).map((one) => one.name);
  const also = inits.length === 0 ? "" : ` or one of the init containers: [${inits.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${apps.join(" ")}]${also}`);
}

function waitingReason({ status }: PodView, container: string): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ name }) => name === container)?.state?.waiting?.reason ?? "ContainerCreating";
}
