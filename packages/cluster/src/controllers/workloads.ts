import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import { type Cache, type Controller, type Logger, silentLogger } from "@homeostat/runtime";
// Internal: the type of the events of a controller without a manager.
import type { EventOutlet } from "@homeostat/runtime/internal";
import { CoreEvents } from "../events/core-events.ts";
import { controllerLoop } from "./common/controller-loop.ts";
import { type ControlLoop, fieldManager } from "./common/parts.ts";
import { sharedSignals } from "./common/shared-signal.ts";
import { deploymentController } from "./deployment/controller.ts";
import { jobController } from "./job/controller.ts";
import { jobPodReleaseLoop } from "./job/release-loop.ts";
import { jobTtlController } from "./job/ttl-controller.ts";
import { replicaSetController } from "./replicaset/controller.ts";
import { statefulSetController } from "./statefulset/controller.ts";

/** Dependencies of {@link workloadControllers}. */
export interface WorkloadControllerParts {
  readonly client: Client;
  /** The caller must run the cache for as long as the controllers run. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: a logger that discards everything. */
  readonly log?: Logger;
}

/** Each controller with the component name of its events. */
const components: readonly (readonly [string, (parts: WorkloadControllerParts) => Controller])[] = [
  ["replicaset-controller", replicaSetController],
  ["deployment-controller", deploymentController],
  ["statefulset-controller", statefulSetController],
  ["job-controller", jobController],
  ["ttl-after-finished-controller", jobTtlController],
];

/**
 * Builds the controllers of ReplicaSets, Deployments, StatefulSets and Jobs, equivalent to those of
 * kube-controller-manager.
 *
 * Each loop runs until its signal aborts. They are independent of each other.
 *
 * @example
 * await Promise.all(workloadControllers({ client, cache, clock, random }).map((loop) => loop.run(signal)));
 */
export function workloadControllers({ log = silentLogger, ...given }: WorkloadControllerParts): readonly ControlLoop[] {
  const parts = { ...given, log };
  // One recorder per controller, so that they do not share one queue of events.
  const outlet = (component: string): EventOutlet => new CoreEvents({ ...parts, fieldManager }).outlet(component);
  const shared = sharedSignals();
  const loops: readonly ControlLoop[] = [
    ...components.map(([component, make]) => controllerLoop(make(given), { ...parts, events: outlet(component) })),
    jobPodReleaseLoop(parts),
  ];
  return loops.map((loop) => ({ ...loop, run: (signal) => loop.run(shared(signal)) }));
}
