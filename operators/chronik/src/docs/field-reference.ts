import { toReference } from "@homeostat/schema";
import { ChronikCluster } from "../api/chronik-cluster.ts";

/** Fields whose types are part of Kubernetes and explained by its documentation. */
const closed = [
  "spec.tolerations",
  "spec.affinity",
  "spec.template.controller.tolerations",
  "spec.template.ingest.tolerations",
  "spec.template.search.tolerations",
];

/** The page with every field of a ChronikCluster. `npm run docs` writes it, and a test checks that it is up to date. */
export const fieldReference = {
  page: "docs/reference/chronik-cluster.md",
  render: (): string => toReference(ChronikCluster, { closed }),
};
