// The controllers of the operator and what they share.

import type { Controller } from "homeostat";
import type { Clock, Random } from "@homeostat/core";
import type { Interception } from "./api/spec-common.ts";
import type { SecureBytes } from "./decide/routing-key.ts";
import { SandboxMetrics } from "./metrics/sandbox-metrics.ts";
import { BaselineTimes } from "./observe/baseline-times.ts";
import { ConfirmedRoutes } from "./observe/confirmed-routes.ts";
import { RouteFeed } from "./observe/route-feed.ts";
import { groupController } from "./reconcile/group-controller.ts";
import { groupProblem } from "./reconcile/group-problem.ts";
import { sandboxController } from "./reconcile/sandbox-controller.ts";
import { tableController } from "./reconcile/table-controller.ts";
import { tableStatusController } from "./reconcile/table-status-controller.ts";
import type { OperatorConfig } from "./settings/config.ts";

/** Objects that the controllers of one manager share. */
export interface Shared {
  readonly config: () => OperatorConfig;
  readonly clock: Clock;
  readonly feed: RouteFeed;
}

/** Creates what the controllers of one manager share. */
export function createShared(options: {
  readonly config: () => OperatorConfig;
  readonly clock: Clock;
  readonly interception: Interception;
}): Shared {
  const { config, clock, interception } = options;
  return { config, clock, feed: new RouteFeed({ clock, interception: () => interception }) };
}

export interface ControllersOptions {
  readonly shared: () => Shared;
  readonly concurrency: number;
  readonly random: Random;
  readonly secureBytes: SecureBytes;
}

/** Returns all controllers. */
export function controllers({ shared, concurrency, random, secureBytes }: ControllersOptions): readonly Controller[] {
  const metrics = new SandboxMetrics();
  const confirmedRoutes = new ConfirmedRoutes();
  const feed = (): RouteFeed => shared().feed;
  const config = (): OperatorConfig => shared().config();
  return [
    sandboxController({
      config,
      feed,
      metrics,
      random,
      secureBytes,
      concurrency,
      baselineTimes: new BaselineTimes(),
      confirmedRoutes,
    }),
    groupController({ config, feed, metrics, secureBytes, confirmedRoutes, problemOf: groupProblem(config) }),
    tableController({ feed, clock: () => shared().clock, metrics }),
    tableStatusController(),
  ];
}
