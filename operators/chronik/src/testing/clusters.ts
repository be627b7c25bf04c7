import { ChronikCluster, type ChronikClusterInput } from "../api/chronik-cluster.ts";

/** A spec whose required blocks may be omitted. */
export type SpecInput = Omit<ChronikClusterInput["spec"], "storage" | "metastore"> &
  Partial<Pick<ChronikClusterInput["spec"], "storage" | "metastore">>;

/** A cluster with this spec as a user writes it. The metastore is embedded unless the spec says otherwise. */
export function clusterInput(spec: SpecInput = {}, name = "demo"): ChronikClusterInput {
  return ChronikCluster.make({
    metadata: { name, namespace: "streaming", uid: "5b0a9c1e-1111-4222-8333-444455556666" },
    spec: { storage: {}, metastore: { database: "embedded" }, ...spec },
  });
}

/** A cluster with this spec as the API server returns it. */
export function clusterWith(spec: SpecInput = {}, name = "demo"): ChronikCluster {
  return ChronikCluster.default(clusterInput(spec, name));
}
