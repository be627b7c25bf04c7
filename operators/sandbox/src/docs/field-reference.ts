import { type Resource, toReference } from "@homeostat/schema";
import { LocalWorkload } from "../api/local-workload.ts";
import { PreviewLink } from "../api/preview-link.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { Sandbox } from "../api/sandbox.ts";

/** Fields whose types are part of Kubernetes and explained by its documentation. */
const closed = ["spec.services[].containers[].env[].valueFrom", "spec.services[].containers[].resources"];

const pages: readonly (readonly [string, Resource])[] = [
  ["docs/reference/sandbox.md", Sandbox],
  ["docs/reference/sandbox-route-group.md", RouteGroup],
  ["docs/reference/sandbox-local-workload.md", LocalWorkload],
  ["docs/reference/sandbox-preview-link.md", PreviewLink],
  ["docs/reference/sandbox-policy.md", SandboxPolicy],
  ["docs/reference/sandbox-route-table.md", RouteTable],
];

/** The pages with every field of the kinds. `npm run docs` writes them, and a test checks that they are up to date. */
export const fieldReference = pages.map(([page, kind]) => ({
  page,
  render: (): string => toReference(kind, kind === Sandbox ? { closed } : {}),
}));
