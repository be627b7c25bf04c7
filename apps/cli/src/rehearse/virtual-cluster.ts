// An embedded cluster in virtual time. Nothing in it waits for a socket or for real time, so equal input gives equal output.

import { createClient, type Client, type UntypedObject } from "@homeostat/client";
import { type AppModel, type Cluster, startCluster } from "@homeostat/cluster";
import { FakeClock, HomeostatError, nextTurn, parseApiVersion, type Random, type ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { createOperatorManager, type Operator, operatorManifests } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import type { Manifest } from "./manifests.ts";

/** Thrown when the embedded cluster does not do what a rehearsal needs. */
export class RehearsalError extends HomeostatError {
  readonly code = "REHEARSAL";
}

/** Options of {@link startVirtualCluster}. */
export interface VirtualClusterOptions {
  /** Time at which the cluster starts, in milliseconds since the epoch. */
  readonly now: number;
  readonly nodes: number;
  readonly model: AppModel;
  readonly random: Random;
  readonly operator: Operator;
  readonly operatorNamespace: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** An embedded cluster in virtual time with the objects of an operator. */
export interface VirtualCluster extends AsyncDisposable {
  readonly clock: FakeClock;
  /** Returns a client of the cluster administrator. */
  client(onWarning?: (text: string) => void): Client;
  /** Returns a manifest as this cluster can use it: volumes of every class are simulated. */
  adapted(manifest: Manifest): Promise<Manifest>;
  typeOf(manifest: Pick<Manifest, "apiVersion" | "kind">): Promise<ResourceType<UntypedObject>>;
  runOperator(): void;
  /** Waits for a request, and lets time pass if it needs any. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass. Throws if the operator has stopped. */
  advance(ms: number): Promise<void>;
}

/** Kinds that are not installed, because the operator runs in this process instead of in a pod. */
const notInstalled: ReadonlySet<string> = new Set(["Deployment", "PodDisruptionBudget"]);

/** Large enough that pods are never pending for lack of resources. */
const capacity = { cpu: "4000", memory: "16Ti", "ephemeral-storage": "16Ti", pods: "1000" };

/** Starts the cluster and installs the operator. */
export async function startVirtualCluster(options: VirtualClusterOptions): Promise<VirtualCluster> {
  const { now, nodes, model, random, operator, operatorNamespace, settings } = options;
  const clock = new FakeClock({ now, turnsMin });
  const errors: unknown[] = [];
  const cluster = await startCluster({
    clock,
    random,
    models: [model],
    nodes: Array.from({ length: nodes }, (_, index) => ({
      name: `node-${index + 1}`,
      capacity,
      labels: { "topology.kubernetes.io/zone": `zone-${(index % zonesMax) + 1}` },
    })),
    onError: (error) => void errors.push(error),
  });
  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  const client = (onWarning?: (text: string) => void): Client =>
    createClient(cluster.transport(), { clock, ...(onWarning && { onWarning: ({ text }) => onWarning(text) }) });
  const admin = client();
  const failIfStopped = (): void => {
    const [error] = errors;
    if (error !== undefined) throw new RehearsalError("The embedded cluster has failed.", { cause: error });
  };
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    const state = { isDone: false };
    const done = work.finally(() => {
      state.isDone = true;
    });
    // The rejection is passed on below, after the loop.
    done.catch(() => undefined);
    for (let attempt = 0; !state.isDone; attempt += 1) {
      for (let turn = 0; turn < turnsPerAttempt && !state.isDone; turn += 1) await nextTurn();
      if (attempt > attemptsMax) throw new RehearsalError("The embedded cluster does not respond.");
      if (!state.isDone) await clock.advance(100);
    }
    return done;
  };
  const typeOf = async ({
    apiVersion,
    kind,
  }: Pick<Manifest, "apiVersion" | "kind">): Promise<ResourceType<UntypedObject>> => {
    const { group, version } = parseApiVersion(apiVersion);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { resources } = await settle(admin.mapper.all({ isFresh: attempt > 0 }));
      const found = resources.find((each) => each.group === group && each.version === version && each.kind === kind);
      if (found !== undefined) return found;
      await clock.advance(100);
    }
    throw new RehearsalError(`The embedded cluster does not serve kind ${kind} in ${apiVersion}.`);
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await settle(Promise.allSettled(running));
    await cluster.stop();
  };
  try {
    await started(cluster, nodes, failIfStopped);
    for (const manifest of operatorManifests(operator, { namespace: operatorNamespace, settings }))
      if (!notInstalled.has(manifest.kind)) {
        const { name = "" } = manifest.metadata;
        const type = await typeOf(manifest);
        const object = { ...manifest, metadata: { ...manifest.metadata, name } };
        await settle(admin.apply(type, object, { fieldManager: "rehearsal" }));
        if (manifest.kind === CustomResourceDefinition.kind) await settle(admin.mapper.all({ isFresh: true }));
      }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    clock,
    client,
    typeOf,
    settle,
    async adapted(manifest) {
      if (manifest.kind !== StorageClass.kind) return manifest;
      const { items } = await settle(admin.list(StorageClass));
      const provisioner = items.find(({ metadata }) => metadata.annotations?.[defaultClass] === "true")?.provisioner;
      return provisioner === undefined ? manifest : { ...manifest, provisioner };
    },
    runOperator() {
      const manager = createOperatorManager(operator, {
        connection: cluster.transport({
          user: `system:serviceaccount:${operatorNamespace}:${operator.name}`,
          group: "system:serviceaccounts",
        }),
        run: {
          namespace: operatorNamespace,
          webhooks: false,
          leaderElect: false,
          metricsBindAddress: "0",
          healthProbeBindAddress: "0",
          grace: 0,
        },
        settings,
        log: silentLogger,
        clock,
        random,
        env: {},
      });
      running.push(manager.run(stopping.signal).catch((error: unknown) => void errors.push(error)));
    },
    async advance(ms) {
      failIfStopped();
      await clock.advance(ms);
    },
    [Symbol.asyncDispose]: stop,
  };
}

const zonesMax = 3;
/**
 * Turns of the event loop after each timer. Each request waits for a turn of its own, so time passes only when no request is under way: what
 * the operator does takes no virtual time.
 */
const turnsMin = 25;
const turnsPerAttempt = 200;
const attemptsMax = 600;
const defaultClass = "storageclass.kubernetes.io/is-default-class";

/** Waits until all nodes have started. The clock stands still meanwhile: modules and keys are loaded in real time. */
async function started(cluster: Cluster, nodes: number, failIfStopped: () => void): Promise<void> {
  while (cluster.nodes.length < nodes) {
    failIfStopped();
    await nextTurn();
  }
}
