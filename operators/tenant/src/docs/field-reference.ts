import { toReference } from "@homeostat/schema";
import { Tenant } from "../api/tenant.ts";

/** Fields that are Kubernetes' own: its documentation knows them better. */
const closed = [
  "spec.tolerations",
  "spec.server.affinity",
  "spec.server.tolerations",
  "spec.redis.affinity",
  "spec.redis.tolerations",
];

/** Every field of a tenant, as a page of Markdown. */
export function fieldReference(): string {
  return toReference(Tenant, { closed });
}
