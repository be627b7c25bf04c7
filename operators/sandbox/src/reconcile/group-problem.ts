// Problems of a RouteGroup that was stored without validation, or that a policy has come to deny.

import type { CachedRouteGroup } from "../api/route-group.ts";
import type { GroupContext } from "../observe/group-kinds.ts";
import type { OperatorConfig } from "../settings/config.ts";
import type { GroupStatusInput } from "../status/group-status.ts";
import { describeProblems } from "../validation/problem.ts";
import { routeGroupProblems } from "../validation/route-group-rules.ts";

/** Returns the check of groups. */
export function groupProblem(config: () => OperatorConfig) {
  return (group: CachedRouteGroup, { namespace }: GroupContext): GroupStatusInput["problem"] => {
    const problems = routeGroupProblems(group, { namespace, config: config() });
    return problems.length === 0 ? undefined : { reason: "InvalidSpec", message: describeProblems(problems) };
  };
}
