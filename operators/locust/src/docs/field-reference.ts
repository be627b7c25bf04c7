import { toReference } from "@homeostat/schema";
import { LocustTest } from "../api/locust-test.ts";

/** Fields that are Kubernetes' own: its documentation knows them better. */
const closed = [
  "spec.master.resources",
  "spec.worker.resources",
  "spec.scheduling.affinity",
  "spec.scheduling.tolerations",
  "spec.env.variables",
  "spec.volumes",
  "spec.security.podSecurityContext",
  "spec.security.containerSecurityContext",
];

/** Every field of a load test, as a page of Markdown. */
export function fieldReference(): string {
  return toReference(LocustTest, { closed });
}
