// A small simulation of how Kubernetes runs the pods of a tenant, which allows tests to try many orders of events.

import { createHash } from "node:crypto";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod, Secret } from "@homeostat/kubernetes/core/v1";
import { isRolloutComplete } from "@homeostat/runtime";
import { annotations } from "../api/identity.ts";
import { decisionsFor, resolvedFor } from "./build-cases.ts";
import { redisSecret } from "../build/redis-config.ts";
import { redisStatefulSet } from "../build/redis-stateful-set.ts";
import { decideReplicas } from "../decide/replicas.ts";
import { serverDeployment } from "../build/server.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { decideCredentials } from "../decide/decide-credentials.ts";
import { secretKeys, secretText } from "../build/redis-secret.ts";
import type { Observed } from "../observe/observe.ts";
import { rolloutState } from "../observe/workloads.ts";

/** Values that a process reads at startup and keeps. */
interface RedisProcess {
  readonly acl: string;
  readonly masterauth: string;
  /** Password of its probes. */
  readonly probe: string;
}

interface RedisPod {
  readonly ordinal: number;
  readonly mark: string;
  /** Version of the Secret in its volume. */
  mounted: number;
  process?: RedisProcess;
  isReady: boolean;
}

interface ServerPod {
  readonly mark: string;
  isEnding: boolean;
  password?: string;
  isReady: boolean;
}

type Set<T extends KubeObject> = DeepReadonly<T> & { readonly metadata: { readonly generation: number } };

/** One tenant, its operator, the controllers of its workloads and the node. */
export class TenantSimulation {
  readonly secrets: DeepReadonly<Secret>[] = [];
  redisPods: RedisPod[] = [];
  serverPods: ServerPod[] = [];
  #resolved: ResolvedTenant;
  #redis: Set<StatefulSet> | undefined;
  #server: Set<Deployment> | undefined;
  /** Template for pods below the partition. */
  #settledMark = "";
  #seen: Omit<Observed, "claims" | "quota"> = { redis: undefined, redisPods: [], server: undefined, serverPods: [] };
  #token: string | undefined;
  #nowMs = 0;
  #made = 0;

  constructor({ replicas }: { readonly replicas: number }) {
    this.#resolved = resolvedFor({ redis: { replicas }, server: { replicas: 2 } });
    this.reconcile();
    this.settle();
  }

  get step(): string {
    return this.#secret.metadata.annotations?.[annotations.rotationStep] ?? "";
  }

  get acl(): string {
    return this.#text(secretKeys.acl);
  }

  get #secret(): DeepReadonly<Secret> {
    const secret = this.secrets.at(-1);
    if (secret === undefined) throw new Error("there is no Secret");
    return secret;
  }

  #text(key: string, version = this.secrets.length - 1): string {
    return secretText(this.secrets[version] ?? this.#secret, key) ?? "";
  }

  requestRotation(): void {
    this.#token = `asked-${this.secrets.length}-${this.#nowMs}`;
  }

  toggleSleep(): void {
    this.#resolved = { ...this.#resolved, isHibernated: !this.#resolved.isHibernated };
  }

  wait(): void {
    this.#nowMs += 60_000;
  }

  /** Updates the caches of the operator. */
  sync(): void {
    this.#seen = {
      redis: this.#redis && withStatus(this.#redis, this.redisPods, aclMarkOf(this.#redis)),
      redisPods: this.redisPods.map((pod) => podObject(`acme-redis-${pod.ordinal}`, annotations.aclChecksum, pod)),
      server:
        this.#server &&
        withStatus(
          this.#server,
          this.serverPods.filter(({ isEnding }) => !isEnding),
          clientMarkOf(this.#server),
        ),
      serverPods: this.serverPods.map((pod, index) =>
        podObject(`acme-server-${index}`, annotations.credentialsChecksum, pod),
      ),
    };
  }

  /** Runs one reconcile. With `writesMax`, the operator crashes after this number of writes, and another one starts. */
  reconcile(writesMax = 3): void {
    this.#nowMs += 1000;
    const resolved = this.#resolved;
    const seen = this.#seen;
    const decision = decideCredentials({
      own: this.secrets.at(-1),
      given: undefined,
      security: { authSecret: undefined, rotationIntervalMs: undefined },
      token: this.#token,
      hadRedis: seen.redis !== undefined,
      rolloutOf: (credentials) => rolloutState(resolved, credentials, seen),
      nowMs: this.#nowMs,
      secureBytes: (count) => new Uint8Array(count).fill((this.#made += 1)),
    });
    if (decision.state === "waiting") throw new Error("nothing to wait for");
    const decisions = decisionsFor(resolved, {
      auth: decision,
      replicas: decideReplicas(resolved, {
        serverReplicas: seen.server?.spec?.replicas,
        serverPods: seen.serverPods.length,
        isRedisReady: seen.redis !== undefined && seen.redis.spec?.replicas !== 0 && isRolloutComplete(seen.redis),
      }),
    });
    const secret = { apiVersion: "v1", kind: "Secret", ...redisSecret(resolved, decision.credentials) } as const;
    if (JSON.stringify(secret) !== JSON.stringify(this.secrets.at(-1))) this.secrets.push(secret);
    const redis = redisStatefulSet(resolved, decisions);
    const server = serverDeployment(resolved, decisions);
    if (writesMax >= 2) {
      this.#redis = written<StatefulSet>(
        this.#redis,
        redis && { apiVersion: "apps/v1", kind: "StatefulSet", ...redis },
      );
      if (this.#settledMark === "") this.#settledMark = aclMarkOf(this.#redis);
      this.#seen = { ...this.#seen, redis: newer<StatefulSet>(this.#seen.redis, this.#redis) };
    }
    if (writesMax >= 3) {
      this.#server = written<Deployment>(
        this.#server,
        server && { apiVersion: "apps/v1", kind: "Deployment", ...server },
      );
      this.#seen = { ...this.#seen, server: newer<Deployment>(this.#seen.server, this.#server) };
    } else {
      this.sync();
    }
  }

  /** Runs one step of the StatefulSet controller. It creates pods in order, and replaces outdated ones from the last to the first. */
  rollRedis(): void {
    if (this.#redis?.spec === undefined) return;
    const { replicas = 0, updateStrategy } = this.#redis.spec;
    const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
    const mark = aclMarkOf(this.#redis);
    const surplus = this.redisPods
      .filter(({ ordinal }) => ordinal >= replicas)
      .toSorted((a, b) => b.ordinal - a.ordinal);
    const [last] = surplus;
    if (last !== undefined) return this.evictRedis(this.redisPods.indexOf(last));
    for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
      const pod = this.redisPods.find((one) => one.ordinal === ordinal);
      if (pod === undefined) {
        const template = ordinal < partition ? this.#settledMark : mark;
        this.redisPods.push({ ordinal, mark: template, mounted: this.secrets.length - 1, isReady: false });
      }
      if (pod?.isReady !== true) return;
    }
    const old = this.redisPods
      .filter((pod) => pod.ordinal >= partition && pod.mark !== mark)
      .toSorted((a, b) => b.ordinal - a.ordinal)[0];
    if (old !== undefined) this.evictRedis(this.redisPods.indexOf(old));
    else if (partition === 0) this.#settledMark = mark;
  }

  evictRedis(index: number): void {
    this.redisPods.splice(index, 1);
  }

  /** Starts or restarts a container. Its volume has the current Secret, or an older one that the kubelet has not updated yet. */
  startRedis(index: number, staleness: number): void {
    const pod = this.redisPods[index];
    if (pod === undefined) return;
    const newest = this.secrets.length - 1;
    pod.mounted = Math.max(pod.mounted, newest - staleness);
    pod.process = {
      acl: this.#text(secretKeys.acl, pod.mounted),
      masterauth: this.#text(secretKeys.replica, pod.mounted).split(" ")[1]?.trim() ?? "",
      probe: this.#text(probeKey(this.#redis)),
    };
    pod.isReady = false;
  }

  readyRedis(index: number): void {
    const pod = this.redisPods[index];
    if (pod?.process !== undefined) pod.isReady = true;
  }

  /** Runs one step of the Deployment controller. */
  rollServer(): void {
    if (this.#server?.spec === undefined) return;
    const { replicas = 0 } = this.#server.spec;
    const mark = clientMarkOf(this.#server);
    const alive = this.serverPods.filter(({ isEnding }) => !isEnding);
    const old = alive.filter((pod) => pod.mark !== mark);
    const current = alive.filter((pod) => pod.mark === mark);
    const [surplus] = current.length > replicas ? current : old.filter(() => replicas === 0);
    if (surplus !== undefined) surplus.isEnding = true;
    else if (current.length < replicas && alive.length <= replicas)
      this.serverPods.push({ mark, isEnding: false, isReady: false });
    else if (old[0] !== undefined && current.filter(({ isReady }) => isReady).length > replicas - old.length)
      old[0].isEnding = true;
  }

  startServer(index: number): void {
    const pod = this.serverPods[index];
    if (pod === undefined || pod.isEnding) return;
    pod.password = this.#text(secretKeys.clientPassword);
    pod.isReady = true;
  }

  endServer(index: number): void {
    const pod = this.serverPods[index];
    if (pod === undefined) return;
    if (pod.isEnding) this.serverPods.splice(index, 1);
    else pod.isEnding = true;
  }

  /** Runs one step of every component without failures. Terminating pods may stay. */
  round({ isSlowToEnd = false }: { readonly isSlowToEnd?: boolean } = {}): void {
    this.sync();
    this.reconcile();
    this.rollRedis();
    this.rollServer();
    for (const [index, pod] of this.redisPods.entries()) {
      if (pod.process === undefined) this.startRedis(index, 0);
      this.readyRedis(index);
    }
    for (const [index, pod] of this.serverPods.entries()) if (pod.password === undefined) this.startServer(index);
    if (!isSlowToEnd) this.serverPods = this.serverPods.filter(({ isEnding }) => !isEnding);
  }

  /** Runs all components without failures until nothing changes. */
  settle(): void {
    let before = "";
    for (let rounds = 0; rounds < 120 && before !== this.#signature(); rounds += 1) {
      before = this.#signature();
      this.round();
    }
  }

  #signature(): string {
    const generations = [this.#redis, this.#server].map((workload) => workload?.metadata.generation);
    return JSON.stringify([this.secrets.length, generations, this.redisPods, this.serverPods]);
  }

  /** Returns the clients whose password is not accepted. */
  shutOut(): string[] {
    const running = this.redisPods.filter((pod) => pod.process !== undefined);
    const refuses = (pod: RedisPod | undefined, password: string): boolean =>
      pod?.process !== undefined &&
      !pod.process.acl.includes(`#${createHash("sha256").update(password).digest("hex")}`);
    const master = running.find(({ ordinal }) => ordinal === 0);
    return [
      ...this.serverPods.flatMap(({ password }, index) =>
        password !== undefined && running.some((pod) => refuses(pod, password)) ? [`server ${index}`] : [],
      ),
      ...running.filter((pod) => refuses(pod, pod.process?.probe ?? "")).map(({ ordinal }) => `probe ${ordinal}`),
      ...running
        .filter((pod) => pod.ordinal > 0 && refuses(master, pod.process?.masterauth ?? ""))
        .map(({ ordinal }) => `replica ${ordinal}`),
      ...(running.some((pod) => refuses(pod, this.#text(secretKeys.clientPassword)))
        ? ["a client that reads the Secret"]
        : []),
    ];
  }
}

/** Returns the key of the Secret that the built probes use. */
function probeKey(redis: DeepReadonly<StatefulSet> | undefined): string {
  return redis?.spec?.template.spec?.containers[0]?.env?.[0]?.valueFrom?.secretKeyRef?.key ?? "";
}

function aclMarkOf(redis: DeepReadonly<StatefulSet>): string {
  return redis.spec?.template.metadata?.annotations?.[annotations.aclChecksum] ?? "";
}

function clientMarkOf(server: DeepReadonly<Deployment>): string {
  return server.spec?.template.metadata?.annotations?.[annotations.credentialsChecksum] ?? "";
}

/** Returns an object as the API server stores it after a write, with a new generation if its spec changed. */
function written<T extends Deployment | StatefulSet>(
  before: Set<T> | undefined,
  resolved: DeepReadonly<T> | undefined,
): Set<T> {
  if (resolved === undefined) throw new Error("nothing to write");
  const isSame = before !== undefined && JSON.stringify(before.spec) === JSON.stringify(resolved.spec);
  if (isSame) return before;
  const generation = (before?.metadata.generation ?? 0) + 1;
  return { ...resolved, metadata: { ...resolved.metadata, generation } };
}

/** Returns an object as the cache shows it after the operator's own write: the written object with the cached status. */
function newer<T extends Deployment | StatefulSet>(seen: DeepReadonly<T> | undefined, now: Set<T>): DeepReadonly<T> {
  return seen?.metadata.generation === now.metadata.generation
    ? seen
    : { ...now, ...(seen && { status: seen.status }) };
}

function withStatus<T extends Deployment | StatefulSet>(
  workload: Set<T>,
  pods: readonly { readonly mark: string; readonly isReady: boolean }[],
  mark: string,
): DeepReadonly<T> {
  const status = {
    observedGeneration: workload.metadata.generation,
    replicas: pods.length,
    updatedReplicas: pods.filter((pod) => pod.mark === mark).length,
    readyReplicas: pods.filter(({ isReady }) => isReady).length,
  };
  return { ...workload, status };
}

function podObject(
  name: string,
  key: string,
  { mark, isReady }: { readonly mark: string; readonly isReady: boolean },
): DeepReadonly<Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations: { [key]: mark } },
    spec: { containers: [] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  };
}
