import { toReference } from "@homeostat/schema";
import { LocustTest } from "../api/locust-test.ts";

/** Fields whose types are part of Kubernetes and explained by its documentation. */
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

/** The page with every field of a LocustTest. `npm run docs` writes it, and a test checks that it is up to date. */
export const fieldReference = {
  page: "docs/reference/locust-test.md",
  render: (): string => toReference(LocustTest, { closed }),
};
