// Objects for tests, as users write them and the API server completes them.

import { LocalWorkload, type LocalWorkloadInput } from "../api/local-workload.ts";
import { RouteGroup, type RouteGroupInput } from "../api/route-group.ts";
import { RouteTable, type RouteTableInput } from "../api/route-table.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { SandboxPolicy, type SandboxPolicyInput } from "../api/sandbox-policy.ts";

export const namespace = "shop";

export function sandboxWith(spec: SandboxInput["spec"] = {}, name = "pr-42"): Sandbox {
  return Sandbox.default(Sandbox.make({ metadata: { name, namespace }, spec }));
}

/** Returns a Sandbox with one entry. */
export function sandboxWithEntry(entry: Partial<NonNullable<SandboxInput["spec"]["services"]>[number]> = {}): Sandbox {
  return sandboxWith({ services: [{ name: "cart", targetRef: { name: "cart" }, ...entry }] });
}

export function routeGroupWith(spec: RouteGroupInput["spec"] = {}): RouteGroup {
  return RouteGroup.default(RouteGroup.make({ metadata: { name: "checkout", namespace }, spec }));
}

type LocalSpec = LocalWorkloadInput["spec"];

export function localWorkloadWith(
  spec: Partial<LocalSpec> = {},
  service: Partial<LocalSpec["service"]> = {},
): LocalWorkload {
  const ports = [{ name: "http", containerPort: 8080 }];
  return LocalWorkload.default(
    LocalWorkload.make({
      metadata: { name: "jane-orders", namespace },
      spec: { sandboxRef: { name: "pr-42" }, service: { name: "orders", ports, ...service }, ...spec },
    }),
  );
}

export function policyWith(spec: SandboxPolicyInput["spec"] = {}, name = "policy"): SandboxPolicy {
  return SandboxPolicy.default(SandboxPolicy.make({ metadata: { name, namespace }, spec }));
}

export function routeTableWith(spec: Partial<RouteTableInput["spec"]> = {}): RouteTable {
  return RouteTable.default(
    RouteTable.make({
      metadata: { name: "cart", namespace },
      spec: { service: "cart", version: "1", ports: [], entries: [], ...spec },
    }),
  );
}
