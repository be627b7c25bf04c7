import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import { type Cache, type Controller, type EventOutlet, type Logger, silentLogger } from "@homeostat/runtime";
import { ComponentEvents } from "./common/component-events.ts";
import { controllerLoop } from "./common/controller-loop.ts";
import type { ControlLoop } from "./common/parts.ts";
import { sharedSignals } from "./common/shared-signal.ts";
import { deploymentController } from "./deployment/controller.ts";
import { jobController } from "./job/controller.ts";
import { jobPodReleaseLoop } from "./job/release-loop.ts";
import { jobTtlController } from "./job/ttl-controller.ts";
import { replicaSetController } from "./replicaset/controller.ts";
import { statefulSetController } from "./statefulset/controller.ts";

/** What the controllers of workloads need. */
export interface WorkloadControllerParts {
  readonly client: Client;
  /** Must run for as long as the controllers do. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
}

/** Each controller with the component that its events come from. */
const components: readonly (readonly [string, (parts: WorkloadControllerParts) => Controller])[] = [
  ["replicaset-controller", replicaSetController],
  ["deployment-controller", deploymentController],
  ["statefulset-controller", statefulSetController],
  ["job-controller", jobController],
  ["ttl-after-finished-controller", jobTtlController],
];

/**
 * The controllers of ReplicaSets, Deployments, StatefulSets and Jobs, as Kubernetes' controller manager has them.
 *
 * Each runs until its signal aborts, and none needs another.
 *
 * @example
 * await Promise.all(workloadControllers({ client, cache, clock, random }).map((loop) => loop.run(signal)));
 */
export function workloadControllers({ log = silentLogger, ...given }: WorkloadControllerParts): readonly ControlLoop[] {
  const parts = { ...given, log };
  // Each sends its events one after the other, so each has its own line.
  const outlet = (component: string): EventOutlet => new ComponentEvents(parts).outlet(component);
  const shared = sharedSignals();
  const loops: readonly ControlLoop[] = [
    ...components.map(([component, make]) => controllerLoop(make(given), { ...parts, events: outlet(component) })),
    jobPodReleaseLoop(parts),
  ];
  return loops.map((loop) => ({ ...loop, run: (signal) => loop.run(shared(signal)) }));
}
