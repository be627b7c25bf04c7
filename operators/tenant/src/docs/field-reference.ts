import { toReference } from "@homeostat/schema";
import { Tenant } from "../api/tenant.ts";

/** Fields whose types are part of Kubernetes and explained by its documentation. */
const closed = [
  "spec.tolerations",
  "spec.server.affinity",
  "spec.server.tolerations",
  "spec.redis.affinity",
  "spec.redis.tolerations",
];

/** The page with every field of a Tenant. `npm run docs` writes it, and a test checks that it is up to date. */
export const fieldReference = {
  page: "docs/reference/tenant.md",
  render: (): string => toReference(Tenant, { closed }),
};
