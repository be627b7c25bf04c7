import { LocalWorkload } from "./local-workload.ts";
import { PreviewLink } from "./preview-link.ts";
import { RouteGroup } from "./route-group.ts";
import { RouteTable } from "./route-table.ts";
import { SandboxPolicy } from "./sandbox-policy.ts";
import { Sandbox } from "./sandbox.ts";

/** All kinds of the operator, by name. */
export const kinds = { Sandbox, RouteGroup, LocalWorkload, SandboxPolicy, RouteTable, PreviewLink } as const;
