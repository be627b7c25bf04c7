import type { Destination, Holds, RouteObserver, RouteTables, TwoChoiceBalancer } from "@homeostat/proxy";
import { type ReportedActivity, reportItemsMax } from "@homeostat/routing";
import type { Clock } from "@homeostat/core";

/** Parts of the proxy that know its requests. */
export interface ActivityOptions {
  readonly tables: RouteTables;
  readonly holds: Pick<Holds, "waiting">;
  readonly balancer: Pick<TwoChoiceBalancer, "busy">;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The last request for a sandbox by one Service. */
interface LastRequest {
  readonly destination: Destination;
  at: number;
}

/**
 * The last requests of each sandbox since the last report.
 *
 * A request costs one insertion into a set. Its time is that of the next collection, at most one interval of reports later. Requests that run, such
 * as WebSockets, and requests that wait count as activity at each collection.
 */
export class Activity implements RouteObserver {
  readonly #options: ActivityOptions;
  #recent = new Set<Destination>();
  /** Requests that no report contains yet, by Service and sandbox. */
  readonly #unreported = new Map<string, LastRequest>();

  constructor(options: ActivityOptions) {
    this.#options = options;
  }

  routed(destination: Destination): void {
    this.#recent.add(destination);
  }

  /** Returns the activity to report, the requests that wait first, and forgets it. */
  take(): readonly ReportedActivity[] {
    const { clock, holds } = this.#options;
    const now = clock.monotonic();
    const waiting = new Set<string>();
    for (const destination of this.#recent) this.#note(destination, now);
    this.#recent = new Set();
    for (const destination of this.#running()) this.#note(destination, now);
    for (const { destination } of holds.waiting()) {
      this.#note(destination, now);
      waiting.add(keyOf(destination));
    }
    const order = [...this.#unreported].sort(([a], [b]) => Number(waiting.has(b)) - Number(waiting.has(a)));
    return order.slice(0, reportItemsMax).map(([key, { destination, at }]) => {
      this.#unreported.delete(key);
      const { namespace, service, sandboxUid = "" } = destination;
      return { namespace, service, sandboxUid, agoMs: Math.round(now - at), isWaiting: waiting.has(key) };
    });
  }

  /** Keeps activity whose report was lost for the next one. */
  putBack(lost: readonly ReportedActivity[]): void {
    const now = this.#options.clock.monotonic();
    for (const { namespace, service, sandboxUid, agoMs } of lost) {
      const destination: Destination = { namespace, service, kind: "sandbox", sandbox: "", workload: "", sandboxUid };
      this.#note(destination, now - agoMs);
    }
  }

  #note(destination: Destination, at: number): void {
    if (destination.sandboxUid === undefined) return;
    const key = keyOf(destination);
    const before = this.#unreported.get(key);
    if (before === undefined) this.#unreported.set(key, { destination, at });
    else before.at = Math.max(before.at, at);
  }

  /** Returns the sandboxes with running requests. The balancer counts them by address, so that requests need no further bookkeeping. */
  *#running(): Generator<Destination> {
    const { tables, balancer } = this.#options;
    const busy = new Set(balancer.busy());
    if (busy.size === 0) return;
    for (const port of tables.current.ports.values()) {
      const { routes } = port.port;
      for (const { key, entry, targets } of routes.targets()) {
        // Requests of a Virtual entry and those without a key have the same address.
        if (entry.mode === "Virtual" || !targets.some((target) => busy.has(target))) continue;
        const route = routes.get(key)?.find((each) => each.entry === entry);
        if (route !== undefined) yield tables.labelsOf(route, port).destination;
      }
    }
  }
}

function keyOf({ namespace, service, sandboxUid = "" }: Destination): string {
  return `${namespace}/${service}/${sandboxUid}`;
}
