import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { Balancer } from "../upstream/balancer.ts";
import type { ConnectionContext } from "./connection.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { UpstreamPool } from "./upstream-pool.ts";

/** State shared by the connections and streams of one engine. */
export interface EngineContext extends ConnectionContext {
  readonly limits: ProxyLimits;
  readonly balancer: Balancer;
  readonly observer: ProxyObserver;
  readonly pool: UpstreamPool;
  readonly held: HeldBytes;
  /** Monotonic time of the last check of time limits. Reading it costs nothing, and it is exact enough for limits of seconds. */
  coarseMs: number;
}
