// The routes of a namespace as resources of Envoy, for all Envoys of the namespace.

import type { Clock } from "@homeostat/core";
import { parseRoutingSettings } from "@homeostat/routing";
import { type EnvoyState, renderEnvoy } from "@homeostat/sandbox-operator";
import type { TableFeed } from "../feed/table-feed.ts";

/** Rendered routes and the version of the feed that they contain. */
export interface RenderedRoutes {
  readonly state: EnvoyState;
  readonly version: number;
}

/** Changes within this time are rendered together, because a rollout changes the addresses of many tables. */
const batchMs = 100;

/** Renders the tables of a namespace while an Envoy follows them. */
export class EnvoyRoutes implements Disposable {
  readonly #feed: TableFeed;
  readonly #clock: Clock;
  readonly #namespace: string;
  readonly #listening: Disposable;
  readonly #followers = new Set<(routes: RenderedRoutes) => void>();
  #current: RenderedRoutes;
  #timer: Disposable | undefined;

  constructor(namespace: string, { feed, clock }: { readonly feed: TableFeed; readonly clock: Clock }) {
    this.#namespace = namespace;
    this.#feed = feed;
    this.#clock = clock;
    this.#current = this.#render();
    this.#listening = feed.listen((key) => {
      if (key === undefined || key.startsWith(`${namespace}/`)) this.#changed();
    });
  }

  get current(): RenderedRoutes {
    return this.#current;
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Calls a function with each change of the routes. */
  follow(onChange: (routes: RenderedRoutes) => void): Disposable {
    this.#followers.add(onChange);
    return { [Symbol.dispose]: () => void this.#followers.delete(onChange) };
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #changed(): void {
    this.#timer ??= this.#clock.schedule(batchMs, () => {
      this.#timer = undefined;
      this.#current = this.#render();
      for (const onChange of this.#followers) onChange(this.#current);
    });
  }

  #render(): RenderedRoutes {
    const { version, settings } = this.#feed;
    const tables = [...this.#feed.records()]
      .map(({ table }) => table)
      .filter((each) => each.namespace === this.#namespace);
    return { state: renderEnvoy({ tables, settings: parseRoutingSettings(settings).settings }), version };
  }
}
