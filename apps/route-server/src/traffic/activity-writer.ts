// Writes the activity of sandboxes and the losses of their routing keys to the status of RouteTables.

import type { Client } from "@homeostat/client";
import { type Clock, ConflictError, formatTime, NotFoundError, parseTime } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { RouteTable } from "@homeostat/sandbox-operator";
import type { ClusterTables } from "../observe/cluster-tables.ts";
import type { ActivityLedger } from "./activity-ledger.ts";
import { type ActivityPatch, planActivity } from "./activity-plan.ts";
import { planLosses } from "./loss-plan.ts";
import type { PropagationAudit } from "./propagation-audit.ts";
import { planSightings, type SharedSighting, sharedMax, shownMs as sharedMs } from "./shared-sightings.ts";

export interface ActivityWriterOptions {
  readonly client: Pick<Client, "patch">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tables: Pick<ClusterTables, "object" | "objects">;
  readonly ledger: ActivityLedger;
  readonly audit: Pick<PropagationAudit, "lost" | "keyedRequests">;
  /** Name of this replica. */
  readonly replica: string;
}

const intervalMs = 1_000;
/** Interval at which lost keys are written, and entries of deleted sandboxes are removed. */
const sweepMs = 10_000;
/** Maximum number of concurrent writes. */
const concurrency = 4;

/** Times that were written to one table. */
interface Written {
  readonly uid: string;
  attemptedAt: number;
  /** Times that the cache may not show yet. */
  readonly times: Map<string, number>;
}

/**
 * Writes with JSON merge patches of single sandboxes: replicas write the same map without removing the entries of each other. If two replicas write
 * different times, the last write wins; the replica with the newer time notices that and writes again.
 */
export class ActivityWriter {
  readonly #options: ActivityWriterOptions;
  readonly #written = new Map<string, Written>();
  #sweptAt: number | undefined;
  /** Requests with a key for other replicas, as of the last sweep. */
  #keyed: ReadonlyMap<string, readonly SharedSighting[]> = new Map();

  constructor(options: ActivityWriterOptions) {
    this.#options = options;
  }

  /** Writes due changes every second until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#options.clock.sleep(intervalMs, signal);
      } catch {
        return;
      }
      await this.flush();
    }
  }

  /** Writes due changes. A failed write is retried. */
  async flush(): Promise<void> {
    const queue = new Set([...this.#options.ledger.keys(), ...this.#toSweep()]).values();
    const work = async (): Promise<void> => {
      for (const key of queue) await this.#flush(key);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  *#toSweep(): Iterable<string> {
    const { clock, tables, audit } = this.#options;
    const now = clock.monotonic();
    if (this.#sweptAt !== undefined && now - this.#sweptAt < sweepMs) return;
    this.#sweptAt = now;
    this.#keyed = audit.keyedRequests({ sinceMs: clock.now() - sharedMs, max: sharedMax });
    const losing = new Set(audit.lost(clock.now()).map(({ namespace }) => namespace));
    for (const { metadata, status } of tables.objects()) {
      const key = `${metadata.namespace}/${metadata.name}`;
      const isWritten = Object.keys({ ...status?.activity, ...status?.lostKeys, ...status?.keySightings }).length > 0;
      if (isWritten || losing.has(metadata.namespace ?? "") || this.#keyed.has(key)) yield key;
    }
  }

  async #flush(key: string): Promise<void> {
    const { tables, ledger, clock, replica } = this.#options;
    const object = tables.object(key);
    const sandboxUids = new Set(object?.spec.entries.flatMap(({ sandboxUid }) => sandboxUid ?? []) ?? []);
    ledger.retain(key, sandboxUids);
    if (object === undefined) {
      this.#written.delete(key);
      return;
    }
    const written = this.#writtenOf(key, object.metadata.uid);
    const now = clock.now();
    const activity = planActivity({
      reported: ledger.of(key),
      observed: observedTimes(object.status?.activity ?? {}, written?.times),
      sandboxUids,
      sleepAfterSeconds: (uid) => object.spec.entries.find(({ sandboxUid }) => sandboxUid === uid)?.sleepAfterSeconds,
      attemptedAt: written?.attemptedAt,
      now,
    });
    const lostKeys = planLosses({
      namespace: object.metadata.namespace ?? "",
      entries: object.spec.entries,
      lost: this.#options.audit.lost(now),
      observed: object.status?.lostKeys ?? {},
      now,
    });
    const keySightings = planSightings({
      replica,
      hasOthers: object.status?.replicas?.some(({ name }) => name !== replica) === true,
      own: this.#keyed.get(key) ?? [],
      observed: object.status?.keySightings ?? {},
      now,
    });
    // A loss can wait for the next write if the last one has just been sent and the cache does not show it yet.
    const isRecent = written !== undefined && now - written.attemptedAt < sweepMs / 2;
    const losses = isRecent ? undefined : lostKeys;
    const sightings = isRecent ? undefined : keySightings;
    if (activity === undefined && losses === undefined && sightings === undefined) return;
    const changes = { lostKeys: losses ?? {}, ...(sightings !== undefined && { keySightings: sightings }) };
    await this.#write(key, { uid: object.metadata.uid, patch: activity ?? {}, changes, now });
  }

  #writtenOf(key: string, uid: string): Written | undefined {
    const written = this.#written.get(key);
    return written?.uid === uid ? written : undefined;
  }

  async #write(key: string, { uid, patch, changes, now }: TablePatch): Promise<void> {
    const { client, log } = this.#options;
    const [namespace = "", name = ""] = key.split("/");
    const written = this.#writtenOf(key, uid) ?? { uid, attemptedAt: now, times: new Map<string, number>() };
    written.attemptedAt = now;
    this.#written.set(key, written);
    const activity = Object.fromEntries(
      Object.entries(patch).map(([sandbox, at]) => [sandbox, at === null ? null : formatTime(at)]),
    );
    try {
      await client.patch(
        RouteTable,
        { namespace, name },
        { merge: { metadata: { uid }, status: { activity, ...changes } } },
        { subresource: "status", fieldManager: "sandbox-route-server" },
      );
      for (const [sandbox, at] of Object.entries(patch)) {
        if (at === null) written.times.delete(sandbox);
        else written.times.set(sandbox, at);
      }
    } catch (error) {
      // The table was deleted or re-created, which the cache will show soon.
      if (error instanceof NotFoundError || error instanceof ConflictError) return;
      log.warn("Failed to write the activity of sandboxes", { table: key, error });
    }
  }
}

interface TablePatch {
  /** UID of the table. */
  readonly uid: string;
  readonly patch: ActivityPatch;
  readonly changes: {
    readonly lostKeys: NonNullable<ReturnType<typeof planLosses>>;
    readonly keySightings?: NonNullable<ReturnType<typeof planSightings>>;
  };
  readonly now: number;
}

function observedTimes(
  activity: Readonly<Record<string, string>>,
  written: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const times = new Map(written);
  for (const [uid, time] of Object.entries(activity)) times.set(uid, Math.max(parseTime(time), times.get(uid) ?? 0));
  return times;
}
