// A controller of boxes that manages config maps, widgets and tokens, with an in-memory API server and a cache that may be stale.

import { createClient, type Request, type Response } from "@homeostat/client";
import { FakeClock, type KubeObject, type ResourceType, SeededRandom, type Stored } from "@homeostat/core";
import { managed, type ManagedKind } from "../kinds/kinds.ts";
import { silentLogger } from "../log/logger.ts";
import { ApplyMemory } from "../writes/apply-memory.ts";
import { Box, ConfigMap, View } from "./writes-bench.ts";
import type { FakeApi } from "./writes-api.ts";
import { HotLoops } from "../writes/hot-loops.ts";
import type { WriteNote } from "../writes/journal.ts";
import { recordedClient } from "../writes/recorded-client.ts";
import type { WriteReport } from "../writes/reconcile-scope.ts";
import type { ManagedObjects } from "../managed/managed-objects.ts";
import { ManagedSet } from "../managed/managed-set.ts";
import { Ownership } from "../managed/ownership.ts";
import { ReapplySchedule } from "../managed/reapply.ts";
import { SettledSets } from "../managed/settled-sets.ts";

export interface Widget extends KubeObject {
  roleRef?: { name: string };
  spec?: { size?: string; color?: string };
}

export interface Token extends KubeObject {
  data?: Record<string, string>;
}

export const Widget: ResourceType<Widget> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

export const Token: ResourceType<Token> = { ...Widget, kind: "Token", plural: "tokens" };

/** The field manager of the controller. */
export const controllerName = "boxes";

/** Options of {@link Controller}. */
export interface ControllerOptions {
  readonly clock?: FakeClock;
  readonly ownership?: Ownership;
  /** Changes the requests of the controller. */
  readonly request?: (request: Request) => Request;
  /** Creates the memory of settled sets of a process. */
  readonly settledSets?: () => SettledSets;
  /** The kinds it declares. Default: config maps, widgets that are replaced when `roleRef` differs, and tokens that are not cached. */
  readonly kinds?: readonly ManagedKind[];
}

/** The kinds that the controller declares. */
export const declared: readonly ManagedKind[] = [
  managed(ConfigMap),
  managed(Widget, { replaceOn: ["roleRef"] }),
  managed(Token, { cached: false }),
];

/** One process of the controller, with its apply memory, its caches, and its writes. */
export class Controller {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly views: ReadonlyMap<string, View>;
  readonly notes: WriteNote[] = [];
  readonly reports: WriteReport[] = [];
  readonly #memory = new ApplyMemory();
  readonly #reapplies = new ReapplySchedule();
  readonly #settledSets: SettledSets;
  readonly #hotLoops: HotLoops;
  readonly #options: ControllerOptions;
  readonly #kinds: readonly ManagedKind[];
  readonly ownership: Ownership;

  constructor(api: FakeApi, options: ControllerOptions = {}) {
    this.api = api;
    this.#options = options;
    this.clock = options.clock ?? new FakeClock();
    this.ownership = options.ownership ?? new Ownership();
    this.#kinds = options.kinds ?? declared;
    this.#settledSets = options.settledSets?.() ?? new SettledSets();
    this.#hotLoops = new HotLoops({ clock: this.clock });
    const ownerUid = (object: Stored<KubeObject>): string | undefined => this.ownership.ownerUidOf(object);
    this.views = new Map(
      ["boxes", ...this.#kinds.map(({ type }) => type.plural)].map((plural) => [
        plural,
        new View(api, plural, ownerUid),
      ]),
    );
  }

  /** Syncs the caches with the server. */
  sync(): void {
    for (const view of this.views.values()) view.sync();
  }

  view({ plural }: ResourceType): View {
    const found = this.views.get(plural);
    if (found === undefined) throw new Error(`there is no view of ${plural}`);
    return found;
  }

  /** Starts a reconcile of the box. */
  reconcile(signal: AbortSignal = new AbortController().signal): ManagedObjects {
    const { clock, ownership, api } = this;
    const object = this.view(Box).get("default/a") ?? missing();
    const random = new SeededRandom(1);
    const journal = { wrote: (note: WriteNote): void => void this.notes.push(note) };
    const { request: change = (request) => request } = this.#options;
    const transport = { send: async (request: Request): Promise<Response> => api.send(change(request)) };
    const client = recordedClient(createClient(transport, { retries: false, clock }), {
      cache: { write: (type, name) => this.view(type).ticket(name) },
      writer: "boxes default/a",
      journal,
      clock,
      random,
      before: (type, name) => this.view(type).get(name),
    });
    const scope = {
      object,
      type: Box,
      key: "default/a",
      fieldManager: controllerName,
      client,
      journal,
      memory: this.#memory,
      reapplies: this.#reapplies,
      settledSets: this.#settledSets,
      hotLoops: this.#hotLoops,
      signal,
      log: silentLogger,
      clock,
      serverClock: clock,
      random,
      ownership,
      newestOwner: () => this.view(Box).get("default/a") ?? missing(),
      report: (report: WriteReport): void => void this.reports.push(report),
    };
    const kinds = this.#kinds.map((kind) => ({
      kind,
      informer: kind.rules.cached ? this.view(kind.type) : undefined,
    }));
    return new ManagedSet(scope, kinds);
  }
}

function missing(): never {
  throw new Error("the cache has no box");
}
