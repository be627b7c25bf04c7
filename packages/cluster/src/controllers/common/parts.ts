import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { Cache, Logger, Service } from "@homeostat/runtime";
import type { CoreEvents } from "../../events/core-events.ts";
import type { KindCatalogue } from "./kind-catalogue.ts";

/** Dependencies shared by all controllers of the control plane. */
export interface ControlParts {
  readonly client: Client;
  /** The caller must run the cache for as long as the controllers run. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Recorder of events about objects. */
  readonly events: CoreEvents;
  /** The kinds of the API server. Its loop must run for as long as the controllers run. */
  readonly kinds: KindCatalogue;
}

/** A loop of the control plane that runs until its signal aborts; a manager accepts it as a service. */
export type ControlLoop = Pick<Service, "name" | "when" | "run">;

/** Field manager of kube-controller-manager. Managed fields must name it, as on a real cluster. */
export const fieldManager = "kube-controller-manager";
