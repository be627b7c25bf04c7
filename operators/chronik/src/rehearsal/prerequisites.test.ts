import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clusterWith } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { placeholderObjects } from "./prerequisites.ts";

describe("placeholder objects", () => {
  const cluster = clusterWith({
    storage: { storageClass: "fast" },
    metastore: { database: "postgres", connection: { host: "pg", credentialsSecret: "pg" } },
    priorityClassName: "important",
  });

  it("replace what the cluster refers to and the manifests do not contain", () => {
    const made = placeholderObjects(cluster, [], defaultSettings);

    assert.deepEqual(
      made.map(({ note }) => note),
      [
        'Secret "pg" is not in the manifests: using a placeholder with the keys password, username',
        'StorageClass "fast" is not in the manifests: using a placeholder whose volumes can grow',
        'PriorityClass "important" is not in the manifests: using a placeholder',
      ],
    );
    assert.deepEqual(
      made.map(({ object }) => [object.kind, object.metadata.namespace]),
      [
        ["Secret", "streaming"],
        ["StorageClass", undefined],
        ["PriorityClass", undefined],
      ],
    );
  });

  it("are not needed for objects that are given", () => {
    const given = [
      { apiVersion: "v1", kind: "Secret", metadata: { name: "pg" } },
      { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "fast" } },
      { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "important" } },
    ];

    assert.deepEqual(placeholderObjects(cluster, given, defaultSettings), []);
  });
});
