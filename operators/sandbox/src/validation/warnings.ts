// Warnings about settings that the user may not have intended. They do not prevent the use of an object.

import { parseImage } from "@homeostat/core";
import { type CachedLocalWorkload, machineIdPattern } from "../api/local-workload.ts";
import type { CachedRouteGroup } from "../api/route-group.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import type { ObjectWarning } from "./problem.ts";

/** Yields warnings about a Sandbox without problems. */
export function* sandboxWarnings({ spec }: CachedSandbox): Iterable<ObjectWarning> {
  for (const [index, { mode, onUnavailable, containers = [] }] of spec.services.entries()) {
    const path = `spec.services[${index}]`;
    for (const [at, { image }] of containers.entries()) {
      if (image === undefined || !isFloating(image)) continue;
      yield {
        path: `${path}.containers[${at}].image`,
        message: `${image} has no fixed version; pods may run different versions`,
      };
    }
    const isSleeping = spec.idle.sleepAfterSeconds !== undefined || spec.idle.startIdle;
    if (isSleeping && mode === "Fork" && onUnavailable !== "Hold") {
      yield {
        path: `${path}.onUnavailable`,
        message: `is ${onUnavailable}: only requests that are held wake an idle fork; set Hold`,
      };
    }
  }
}

/** Yields warnings about a RouteGroup without problems. */
export function* routeGroupWarnings({ spec }: CachedRouteGroup): Iterable<ObjectWarning> {
  if (spec.match === undefined && spec.routes.length === 0) {
    yield { path: "spec.match", message: "is absent and there are no routes, so the group includes no sandbox" };
  }
  for (const [index, { percent, stickyBy }] of spec.routes.entries()) {
    if (percent === 100 || percent === 0 || stickyBy !== "None") continue;
    yield {
      path: `spec.routes[${index}].stickyBy`,
      message: "is None, so requests of the same caller go to both the sandbox and the baseline",
    };
  }
}

/** Yields warnings about a LocalWorkload without problems. */
export function* localWorkloadWarnings({ spec }: CachedLocalWorkload): Iterable<ObjectWarning> {
  const { publicKeys, target } = spec.connection;
  if (publicKeys.length === 0) {
    yield {
      path: "spec.connection.publicKeys",
      message: "is empty: no machine can attach; sandboxctl local connect adds its key",
    };
  }
  if (target !== "" && !new RegExp(machineIdPattern).test(target)) {
    yield {
      path: "spec.connection.target",
      message: `${target} is not the id of a machine: no machine can attach; sandboxctl version prints the id`,
    };
  }
}

function isFloating(image: string): boolean {
  const { tag = "latest", digest } = parseImage(image) ?? { tag: "1" };
  return tag === "latest" && digest === undefined;
}
