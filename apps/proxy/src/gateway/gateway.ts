import type { Clock } from "@homeostat/core";
import type { Holds, KnownOthers, RouteObserver, RouteTables } from "@homeostat/proxy";
import type { RouteState } from "../routes/table-store.ts";
import { ForwardAuth, type SendHttp } from "./forward-auth.ts";
import { GatewayHosts } from "./gateway-hosts.ts";
import { GatewayRouter } from "./gateway-router.ts";
import { UseCounter } from "../routes/use-counter.ts";

export interface GatewayOptions {
  readonly tables: RouteTables;
  readonly holds: Holds;
  readonly clock: Clock;
  readonly observer?: RouteObserver | undefined;
  readonly send?: SendHttp | undefined;
}

/** The preview hosts of a proxy in the role gateway, and the router of their requests. */
export class Gateway {
  readonly router: GatewayRouter;
  readonly uses: UseCounter;
  readonly #hosts: GatewayHosts;

  constructor({ tables, holds, clock, observer, send }: GatewayOptions) {
    const uses = new UseCounter(clock);
    this.uses = uses;
    this.#hosts = new GatewayHosts({ tables, holds, clock, observer });
    this.router = new GatewayRouter({
      hosts: this.#hosts,
      clock,
      onUse: (id) => uses.record(id),
      forward: new ForwardAuth({ clock, send }),
    });
  }

  /** Uses new hosts and settings. Returns the keys and addresses of the hosts. */
  use({ hosts, tables, preview }: Pick<RouteState, "hosts" | "tables" | "preview">): KnownOthers {
    this.router.configure(preview);
    return this.#hosts.swap(hosts.values(), tables);
  }
}
