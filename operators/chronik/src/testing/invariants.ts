// Invariants of what the operator does to the members of a cluster, checked at each of its writes.

import assert from "node:assert/strict";
import type { SentRequest } from "@homeostat/operator-testing";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { type StatefulComponent, statefulComponents } from "../api/identity.ts";
import { names, ordinalOf } from "../api/names.ts";
import { majorityOf } from "../decide/quorum.ts";
import { type Bench, namespace } from "./bench.ts";

const traceMax = 40;

/** Reports whether a pod is ready and not terminating. */
export function isReady({ metadata, status }: Pod): boolean {
  const isTrue = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  return isTrue === true && metadata.deletionTimestamp === undefined;
}

/**
 * Checks each write of the operator against the state of the cluster at that moment. A violation is thrown at the end by `assertNone`: an error
 * in the middle of a request would only be one more failed request for the operator.
 *
 * - It does not take a ready controller unless a majority of the controllers is ready without it.
 * - It does not take a ready member while a member that it took before is not ready again. Ingest nodes that have drained may leave.
 * - It deletes no claim: the policy of the cluster is Retain.
 */
export class Invariants {
  readonly #bench: Bench;
  readonly #cluster: string;
  readonly #violations: string[] = [];
  /** The last disruptions and events of the run, for the message of a violation. */
  readonly #trace: string[] = [];
  /** Names of the pods that the operator restarted. */
  readonly #taken = new Set<string>();
  /** Number of checked disruptions. */
  disruptions = 0;

  constructor(bench: Bench, cluster: string) {
    this.#bench = bench;
    this.#cluster = cluster;
  }

  /** Records what happens to the cluster, for the message of a violation. */
  note(text: string): void {
    this.#trace.push(`${new Date(this.#bench.clock.now()).toISOString().slice(11, 19)} ${text}`);
    if (this.#trace.length > traceMax) this.#trace.shift();
  }

  #violate(text: string): void {
    this.note(`VIOLATION ${text}`);
    this.#violations.push([text, ...this.#trace].join("\n  "));
  }

  /** Records a fault that stops a pod. A member that was ready again is down because of the fault from now on, not because of the operator. */
  fault(pod: Pod): void {
    const { name = "" } = pod.metadata;
    this.note(`fault of ${name}`);
    if (isReady(pod)) this.#taken.delete(name);
  }

  /** Throws if any write violated an invariant. */
  assertNone(): void {
    assert.ok(this.#violations.length === 0, this.#violations.join("\n"));
  }

  /** Checks a write before it is sent. */
  async check({ method, path, body }: SentRequest): Promise<void> {
    const [place = ""] = path.split("?");
    if (method === "DELETE" && place.includes("/persistentvolumeclaims")) this.#violate(`${place} was deleted`);
    const pod = /\/pods\/(?<name>[^/]+)(?:\/eviction)?$/.exec(place)?.groups?.["name"];
    if (pod !== undefined && (method === "DELETE" || place.endsWith("/eviction"))) await this.#checkPod(pod);
    const set = /\/statefulsets\/(?<name>[^/]+)$/.exec(place)?.groups?.["name"];
    if (set !== undefined && method === "PATCH") await this.#checkScale(set, body);
  }

  async #checkPod(name: string): Promise<void> {
    const { controller, ingest } = await this.#members();
    const all = [...controller, ...ingest];
    const target = all.find(({ metadata }) => metadata.name === name);
    if (target === undefined) return;
    this.note(`restart of ${name}; ${describePods(all)}`);
    if (isReady(target)) {
      await this.#checkTaken(`restart of ${name}`, all);
      if (ordinalOf(this.#cluster, "controller", name) !== undefined)
        await this.#checkMajority(`restart of ${name}`, { controller, name, by: 0 });
    }
    this.disruptions += 1;
    this.#taken.add(name);
  }

  async #checkScale(set: string, body: string): Promise<void> {
    const live = await this.#bench.client.get(StatefulSet, { namespace, name: set });
    const before = live?.spec?.replicas ?? 0;
    const after = Number(/"replicas":\s*(?<count>\d+)/.exec(body)?.groups?.["count"] ?? before);
    if (after >= before) return;
    if (before - after > 1) this.#violate(`${set} was scaled from ${before} to ${after}`);
    const { controller, ingest } = await this.#members();
    const name = `${set}-${before - 1}`;
    this.note(`removal of ${name}; ${describePods([...controller, ...ingest])}`);
    // A drained ingest node holds no data, so its removal disrupts nothing.
    if (set === names.component(this.#cluster, "controller")) {
      // The member that is removed may be one that the operator restarted before.
      this.#taken.delete(name);
      await this.#checkTaken(`removal of ${name}`, [...controller, ...ingest]);
      await this.#checkMajority(`removal of ${name}`, { controller, name, by: 1 });
    }
    this.disruptions += 1;
  }

  /** Checks that every member that the operator took is ready again. A request that was refused or lost has taken none. */
  async #checkTaken(what: string, all: readonly Pod[]): Promise<void> {
    for (const name of this.#taken) {
      const pod = all.find(({ metadata }) => metadata.name === name);
      const isBack = pod === undefined ? !(await this.#isMember(name)) : isReady(pod);
      if (isBack) this.#taken.delete(name);
      else this.#violate(`${what} while ${name} is not ready again`);
    }
  }

  /** Reports whether a pod belongs to a StatefulSet that has as many replicas: a removed member does not come back. */
  async #isMember(pod: string): Promise<boolean> {
    for (const component of statefulComponents) {
      const ordinal = ordinalOf(this.#cluster, component, pod);
      if (ordinal === undefined) continue;
      const name = names.component(this.#cluster, component);
      const set = await this.#bench.client.get(StatefulSet, { namespace, name });
      return ordinal < (set?.spec?.replicas ?? 0);
    }
    return false;
  }

  async #checkMajority(
    what: string,
    { controller, name, by }: { readonly controller: readonly Pod[]; readonly name: string; readonly by: number },
  ): Promise<void> {
    const set = await this.#bench.client.get(StatefulSet, {
      namespace,
      name: names.component(this.#cluster, "controller"),
    });
    const size = (set?.spec?.replicas ?? 0) - by;
    // One or two controllers cannot keep a majority.
    if (size + by < 3) return;
    const left = controller.filter((pod) => pod.metadata.name !== name && isReady(pod)).length;
    if (left < majorityOf(size)) this.#violate(`${what} leaves ${left} ready controllers of ${size}`);
  }

  async #members(): Promise<Readonly<Record<StatefulComponent, readonly Pod[]>>> {
    return {
      controller: await this.#bench.pods(this.#cluster, "controller"),
      ingest: await this.#bench.pods(this.#cluster, "ingest"),
    };
  }
}

/** Returns the names of pods with their state: `demo-ingest-0 ready`. */
function describePods(pods: readonly Pod[]): string {
  return pods
    .map((pod) => {
      const state = pod.metadata.deletionTimestamp !== undefined ? "terminating" : isReady(pod) ? "ready" : "not ready";
      return `${pod.metadata.name ?? ""} ${state}`;
    })
    .join(", ");
}
