export { labels } from "./api/identity.ts";
export { LocalWorkload, type LocalWorkloadInput } from "./api/local-workload.ts";
export { RouteGroup, type RouteGroupInput } from "./api/route-group.ts";
export { RouteTable, type RouteTableInput } from "./api/route-table.ts";
export { Sandbox, type SandboxInput } from "./api/sandbox.ts";
export { SandboxPolicy, type SandboxPolicyInput } from "./api/sandbox-policy.ts";
export { sandboxOperator, type SandboxOperatorOptions } from "./operator.ts";
