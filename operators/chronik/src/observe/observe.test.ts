import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labels } from "../api/labels.ts";
import { searchPodOf } from "./observe.ts";

describe("searchPodOf", () => {
  const pod = (own: Readonly<Record<string, string>> = {}) => ({
    apiVersion: "v1" as const,
    kind: "Pod" as const,
    metadata: { name: "c-search-x", uid: "u", labels: { [labels.clusterComponent]: "search", ...own } },
    spec: { nodeName: "n1", containers: [] },
  });
  const nodes = new Map([["n1", { zone: "from-node", address: undefined }]]);
  const zoneOf = (...given: Parameters<typeof searchPodOf>): string | undefined => searchPodOf(...given)[0]?.zone;

  it("takes the zone from the label that Kubernetes copies to pods, then from the node", () => {
    assert.equal(zoneOf(pod({ "topology.kubernetes.io/zone": "from-pod" }), nodes), "from-pod");
    assert.equal(zoneOf(pod(), nodes), "from-node");
    assert.equal(zoneOf(pod(), new Map()), undefined);
  });

  it("ignores pods of other components", () => {
    assert.deepEqual(searchPodOf({ ...pod(), metadata: { name: "c-ingest-0" } }, nodes), []);
  });
});
