// Runs a story on one node and records every observed state of the pod and every event.

import type { Client } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";
import { ConfigMap, type ContainerState, type ContainerStatus, Event, Pod } from "@homeostat/kubernetes/core/v1";
import type { Scenario, Step } from "./scenarios.ts";

/** Result of a story. */
export interface Story {
  /** The pod at the end. */
  readonly end: unknown;
  /** Observed phases in order. */
  readonly phases: readonly string[];
  /** Observed states of each container in order. */
  readonly states: Readonly<Record<string, readonly string[]>>;
}

/** A namespace whose pods all run on one node, with a watch of them. */
export class Stage {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #node: string;
  readonly #followers = new Map<string, (pod: Pod, isGone: boolean) => void>();

  constructor({
    client,
    namespace,
    node,
  }: {
    readonly client: Client;
    readonly namespace: string;
    readonly node: string;
  }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#node = node;
  }

  /** Watches all pods of the namespace until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    let resourceVersion = (await this.#client.list(Pod, { namespace: this.#namespace, signal })).resourceVersion;
    while (!signal.aborted) {
      try {
        for await (const event of this.#client.watch(Pod, { namespace: this.#namespace, resourceVersion, signal })) {
          if (event.type !== "ADDED" && event.type !== "MODIFIED" && event.type !== "DELETED") continue;
          const { metadata } = event.object;
          resourceVersion = metadata.resourceVersion ?? resourceVersion;
          this.#followers.get(metadata.name ?? "")?.(event.object, event.type === "DELETED");
        }
      } catch (error) {
        if (!signal.aborted && !(error instanceof NetworkError)) throw error;
      }
    }
  }

  /** Runs one story to its end. */
  async play({ name, spec, script, steps = [], until }: Scenario): Promise<Story> {
    const seen: Pod[] = [];
    const waiting: Step[] = [...steps];
    const doing: Promise<void>[] = [];
    const ended = new Promise<void>((resolve) => {
      this.#followers.set(name, (pod, isGone) => {
        if (isGone) return resolve();
        seen.push(pod);
        const [next] = waiting;
        if (next?.when(pod) === true) {
          waiting.shift();
          doing.push(this.#take(next, name));
        }
        if (until !== "gone" && waiting.length === 0 && until(pod)) resolve();
      });
    });
    const annotations = script === undefined ? {} : { "homeostat.dev/simulate": JSON.stringify(script) };
    await this.#client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: this.#namespace, annotations },
      spec: { nodeName: this.#node, terminationGracePeriodSeconds: 3, automountServiceAccountToken: false, ...spec },
    });
    await ended;
    this.#followers.delete(name);
    await Promise.all(doing);
    const last = seen.at(-1);
    if (last === undefined) throw new Error(`the pod ${name} was never observed`);
    return { end: plain(last, this.#namespace), ...courseOf(seen) };
  }

  /** Returns the current state of a pod. */
  async look(name: string): Promise<unknown> {
    const pod = await this.#client.get(Pod, { namespace: this.#namespace, name });
    return pod === undefined ? undefined : plain(pod, this.#namespace);
  }

  /** Returns the distinct events about a pod, in the order of their first occurrence. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.#client.list(Event, {
      namespace: this.#namespace,
      fieldSelector: `involvedObject.name=${name}`,
    });
    const texts = items
      .filter(({ source }) => source?.component === "kubelet")
      .sort((a, b) => Number(timeOf(a) - timeOf(b)))
      .map(({ type, reason, message, involvedObject }) =>
        normal(`${type ?? ""} ${reason ?? ""} ${message ?? ""} ${involvedObject.fieldPath ?? ""}`, this.#namespace),
      );
    // A kubelet under load, or one that has already removed a terminating pod, reports this and retries.
    return [...new Set(texts)].filter(
      (text) => !/timed out waiting for the condition|not registered|context deadline exceeded/.test(text),
    );
  }

  /** Waits for an event about a pod. */
  async #untilEvent(reason: string, name: string): Promise<void> {
    while (!(await this.events(name)).some((text) => text.includes(` ${reason} `)))
      await new Promise((resolve) => setTimeout(resolve, 100));
  }

  async #take({ eventReason, do: what }: Step, name: string): Promise<void> {
    const namespace = this.#namespace;
    const client = this.#client;
    if (eventReason !== undefined) await this.#untilEvent(eventReason, name);
    if (what === "delete") {
      await client.delete(Pod, { namespace, name });
    } else if ("create" in what) {
      const { create } = what;
      await client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace, name: create.name },
        data: { ...create.data },
      });
    } else {
      const strategic = { status: { conditions: [{ type: what.setGate, status: "True" }] } };
      await client.patch(Pod, { namespace, name }, { strategic }, { subresource: "status" });
    }
  }
}

// Names of events end with their creation time.
function timeOf({ metadata }: Event): bigint {
  return BigInt(`0x${/\.([0-9a-f]+)$/.exec(metadata.name ?? "")?.[1] ?? "0"}`);
}

function courseOf(seen: readonly Pod[]): Pick<Story, "phases" | "states"> {
  const phases: string[] = [];
  const states: Record<string, string[]> = {};
  const note = (list: string[], text: string): void => {
    if (list.at(-1) !== text) list.push(text);
  };
  for (const { status } of seen) {
    note(phases, status?.phase ?? "");
    for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
      note((states[container.name] ??= []), stateText(container.state));
  }
  return { phases, states };
}

function stateText({ waiting, running, terminated }: ContainerState = {}): string {
  if (waiting !== undefined) return waiting.reason ?? "waiting";
  return running === undefined ? `${terminated?.reason ?? "?"} ${terminated?.exitCode ?? "?"}` : "running";
}

/** Returns a pod without times, names and addresses, which differ between nodes. */
function plain({ status, metadata }: Pod, namespace: string): unknown {
  const {
    conditions = [],
    containerStatuses = [],
    initContainerStatuses = [],
    podIP,
    hostIP,
    startTime,
    podIPs,
    hostIPs,
    resources: _resources,
    ...rest
  } = status ?? {};
  const value = {
    ...rest,
    hasAddress: podIP !== undefined && podIPs?.length === 1,
    hasHost: hostIP !== undefined && hostIPs?.length === 1,
    hasStarted: startTime !== undefined,
    isOnHost: podIP === hostIP,
    isDeleted: metadata.deletionTimestamp !== undefined,
    conditions: conditions.map(({ lastTransitionTime: _changed, lastProbeTime: _probed, ...one }) => one),
    initContainerStatuses: initContainerStatuses.map(plainContainer),
    containerStatuses: containerStatuses.map(plainContainer),
  };
  return JSON.parse(normal(JSON.stringify(value), namespace));
}

function plainContainer({ containerID, imageID, state, lastState, ...rest }: ContainerStatus): unknown {
  return {
    ...rest,
    hasContainer: containerID !== undefined,
    hasImage: imageID !== "",
    state: plainState(state),
    lastState: plainState(lastState),
  };
}

function plainState({ waiting, running, terminated }: ContainerState = {}): unknown {
  if (terminated === undefined) return { waiting, isRunning: running !== undefined };
  const { startedAt, finishedAt, containerID, ...rest } = terminated;
  return { ...rest, times: [typeof startedAt, typeof finishedAt], hasContainer: containerID !== undefined };
}

function normal(text: string, namespace: string): string {
  return text
    .replaceAll(namespace, "NAMESPACE")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, "ADDRESS");
}
