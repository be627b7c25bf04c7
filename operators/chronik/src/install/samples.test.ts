import { describeSamples } from "@homeostat/operator-testing";
import { defineOperator } from "@homeostat/operator";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";

describeSamples({
  operator: defineOperator({ name: "chronik-operator", resources: [ChronikCluster, ChronikNodeGroup] }),
  namespace: "chronik-operator-system",
  folder: new URL("../../samples/", import.meta.url),
});
