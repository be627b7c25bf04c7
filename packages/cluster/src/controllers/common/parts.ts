import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { Cache, Logger, Service } from "@homeostat/runtime";
import type { ComponentEvents } from "./component-events.ts";
import type { KindCatalogue } from "./kind-catalogue.ts";

/** What a controller of the control plane works with. */
export interface ControlParts {
  readonly client: Client;
  /** Must run for as long as the controllers do. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Where events about objects go. */
  readonly events: ComponentEvents;
  /** The kinds there are. Must run for as long as the controllers do. */
  readonly kinds: KindCatalogue;
}

/** A part of the control plane that runs until it is told to stop; a manager takes it as a service. */
export type ControlLoop = Pick<Service, "name" | "when" | "run">;

/** The name under which Kubernetes' own controllers own the fields they write. */
export const fieldManager = "kube-controller-manager";
