// Reconciles objects because of events in the program itself: a key source.
//
// Prints:
//   before: version 1
//   after the release: version 2

import assert from "node:assert/strict";
import { startCluster } from "@homeostat/cluster";
import { applyManifests, eventually, startOperator } from "@homeostat/testing";
import { defineController, defineOperator, defineResource, keySource, s } from "homeostat";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { app: s.string() },
  status: { version: s.int().optional() },
});

/** Versions of apps in a system outside of the cluster. */
const versions = new Map([["web", 1]]);

// region: source
const releases = keySource({ name: "releases" });

const sites = defineController({
  for: Site,
  sources: [releases],
  async reconcile({ object: { spec }, setStatus }) {
    setStatus({ version: versions.get(spec.app) });
  },
});

/** Called by a library, an HTTP handler or a timer. */
function onRelease(app: string, version: number): void {
  versions.set(app, version);
  releases.enqueue("default/shop");
}
// endregion

await using cluster = await startCluster({ parts: "api" });
const operator = defineOperator({ name: "site-operator", resources: [Site], controllers: [sites] });
await using started = await startOperator(cluster, operator);
const { client } = started;
const at = { namespace: "default", name: "shop" };
await applyManifests(client, [Site.make({ metadata: at, spec: { app: "web" } })]);
await started.settled();
console.log(`before: version ${(await client.get(Site, at))?.status?.version}`);

onRelease("web", 2);
await eventually(async () => assert.equal((await client.get(Site, at))?.status?.version, 2));
console.log("after the release: version 2");
