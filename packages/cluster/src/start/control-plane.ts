import { setMaxListeners } from "node:events";
import type { Client } from "@homeostat/client";
import { AlreadyExistsError, type Clock, type Random } from "@homeostat/core";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { Cache, clientSources, type Logger } from "@homeostat/runtime";
import { clusterControllers } from "../controllers/cluster.ts";
import { simulatedStorageClass } from "../controllers/persistent-volume/simulated-class.ts";
import { workloadControllers } from "../controllers/workloads.ts";
import { scheduler } from "../scheduler/scheduler.ts";

/** Dependencies of {@link runControlPlane}. */
export interface ControlPlaneParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** PEM of the API server's certificate authority. */
  readonly ca: string;
  /** True to create a storage class if the cluster has none. */
  readonly hasStorage: boolean;
}

/** Runs all controllers and the scheduler on one cache until the signal aborts. Rejects when one of them fails. */
export async function runControlPlane(parts: ControlPlaneParts, signal: AbortSignal): Promise<void> {
  const { client, clock, random, log, ca } = parts;
  const stopping = new AbortController();
  // Each loop listens to the signal in several places; Node.js would warn about more than ten listeners.
  setMaxListeners(0, stopping.signal);
  const stop = (): void => stopping.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  if (parts.hasStorage) await createStorageClass(client, stopping.signal);
  const cache = new Cache({ sources: clientSources(client), clock, random });
  const shared = { client, cache, clock, random, log };
  const loops = [...clusterControllers({ ...shared, ca }), ...workloadControllers(shared), scheduler(shared)];
  const runs = [cache.run(stopping.signal), ...loops.map((loop) => loop.run(stopping.signal))];
  try {
    await Promise.all(runs);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    stopping.abort(new Error("control plane stopped"));
    await Promise.allSettled(runs);
  }
}

/** Creates the storage class with simulated volumes if the cluster has no storage class. */
async function createStorageClass(client: Client, signal: AbortSignal): Promise<void> {
  const { items } = await client.list(StorageClass, { limit: 1, signal });
  if (items.length > 0) return;
  try {
    await client.create(StorageClass, simulatedStorageClass, { signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}
