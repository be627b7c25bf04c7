// Reports of proxies, checked against the tables that they follow.

import type { Clock } from "@homeostat/core";
import type { TrafficReport } from "@homeostat/routing";
import { selectsTable, type TableFilter } from "../feed/filter.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import type { ActivityLedger } from "./activity-ledger.ts";
import { defaultAuditLimits, type PropagationAudit } from "./propagation-audit.ts";
import type { SharedSighting } from "./shared-sightings.ts";

/** The part of a RouteTable that shows requests with a key. */
interface SharedTable {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
  readonly status?: {
    readonly keySightings?: Readonly<Record<string, readonly Readonly<SharedSighting>[]>> | undefined;
  };
}

export interface TrafficOptions {
  readonly feed: TableFeed;
  readonly ledger: ActivityLedger;
  readonly clock: Pick<Clock, "now">;
  readonly audit: PropagationAudit;
  /** Returns the Service of a namespace whose pod has an address. */
  callerOf(this: void, namespace: string, address: string): string | undefined;
}

/** Number of elements of a report that were used, and of those that concern no table or sandbox that the proxy follows. */
export interface RecordedReport {
  readonly accepted: number;
  readonly ignored: number;
}

/** Joins the reports of all proxies of this replica. */
export class Traffic {
  readonly #options: TrafficOptions;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /**
   * Records a report. Elements about other tables are ignored, not refused: a table may have been removed while the report was on its way. The
   * entries of tables bound what is kept.
   */
  record({ activity, sightings }: TrafficReport, filter: TableFilter): RecordedReport {
    const { feed, ledger, clock, audit, callerOf } = this.#options;
    const now = clock.now();
    let accepted = 0;
    for (const { namespace, service, sandboxUid, agoMs, isWaiting } of activity) {
      const key = `${namespace}/${service}`;
      if (!this.#hasEntry(key, sandboxUid, filter)) continue;
      ledger.record(key, sandboxUid, { at: now - agoMs, isWaiting });
      accepted += 1;
    }
    for (const { agoMs, client, ...sighting } of sightings) {
      const { namespace, service } = sighting;
      const record = feed.record(`${namespace}/${service}`);
      if (record === undefined || !selectsTable(filter, record)) continue;
      const caller = client === undefined ? undefined : callerOf(namespace, client);
      audit.add({ ...sighting, caller, at: now - agoMs });
      accepted += 1;
    }
    return { accepted, ignored: activity.length + sightings.length - accepted };
  }

  /** Reads the requests with a key that other replicas show in the status of a table. Old ones are of traces that have ended. */
  readShared(table: SharedTable | undefined, replica: string): void {
    const { audit, clock } = this.#options;
    const { metadata, status } = table ?? {};
    const { name: service = "", namespace = "" } = metadata ?? {};
    const oldest = clock.now() - defaultAuditLimits.traceMs;
    for (const [name, sightings] of Object.entries(status?.keySightings ?? {})) {
      if (name === replica) continue;
      for (const { traceId, key, at } of sightings)
        if (at > oldest) audit.add({ traceId, namespace, service, key, caller: undefined, at, isRemote: true });
    }
  }

  #hasEntry(key: string, sandboxUid: string, filter: TableFilter): boolean {
    const record = this.#options.feed.record(key);
    if (record === undefined || !selectsTable(filter, record)) return false;
    return record.table.entries.some((entry) => entry.sandboxUid === sandboxUid);
  }
}
