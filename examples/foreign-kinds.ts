// Uses a kind of another project with types that were generated from its CRD, and without types.
//
// Prints:
//   shop: @daily, data
//   1 Backup in all namespaces

import { readFile } from "node:fs/promises";
import { createClient } from "@homeostat/client";
import { manifestDocuments } from "@homeostat/client/manifests";
import { startCluster } from "@homeostat/cluster";
import { isRecord } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { ResourceType } from "homeostat";
// region: import
// Written by: homeostat generate types --from-crd backup.crd.yaml --out types
import { Backup } from "./foreign-kinds/types/backup.example.com/v1.ts";
// endregion

await using cluster = await startCluster({ parts: "api" });
using client = createClient(cluster.connection(), { defaults: { fieldManager: "example" } });
const AnyCrd: ResourceType = CustomResourceDefinition;
const text = await readFile(new URL("../foreign-kinds/backup.crd.yaml", import.meta.url), "utf8");
for (const manifest of manifestDocuments(text, "backup.crd.yaml")) {
  if (isRecord(manifest)) await client.apply(AnyCrd, { ...manifest, metadata: { name: "backups.backup.example.com" } });
}

// region: typed
await client.create(Backup, {
  apiVersion: "backup.example.com/v1",
  kind: "Backup",
  metadata: { namespace: "default", name: "shop" },
  spec: { volumes: ["data"] },
});
const backup = await client.get(Backup, { namespace: "default", name: "shop" });
console.log(`shop: ${backup?.spec.schedule}, ${backup?.spec.volumes.join()}`);
// endregion

// region: untyped
const AnyBackup: ResourceType = {
  group: "backup.example.com",
  version: "v1",
  kind: "Backup",
  plural: "backups",
  scope: "Namespaced",
};
const { items } = await client.list(AnyBackup);
console.log(`${items.length} Backup in all namespaces`);
// endregion
