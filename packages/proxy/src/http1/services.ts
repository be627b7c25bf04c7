import type { Deadlines } from "../limits/deadlines.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { Balancer } from "../upstream/balancer.ts";
import type { Http1Pool } from "./upstream-pool.ts";

/** Objects that all connections of the engine share. */
export interface Services {
  readonly balancer: Balancer;
  readonly pool: Http1Pool;
  readonly limits: ProxyLimits;
  readonly deadlines: Deadlines;
  readonly observer: ProxyObserver;
  /** True when the engine closes connections after their current request. */
  readonly isDraining: boolean;
}
