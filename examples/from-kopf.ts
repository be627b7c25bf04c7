// The operator of kopf's tutorial: a PersistentVolumeClaim for each EphemeralVolumeClaim, resized and relabeled with it.
//
// Prints:
//   created: PersistentVolumeClaim default/scratch with 1Gi
//   resized: 2Gi
//   refused: spec.size: cannot become smaller: PersistentVolumeClaims only grow
//   deleted: the claim is released

import assert from "node:assert/strict";
import { startCluster } from "@homeostat/cluster";
import { ApiError } from "@homeostat/core";
import { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { eventually, startOperator } from "@homeostat/testing";
import { applied, defineController, defineOperator, defineResource, s } from "homeostat";

const released: string[] = [];

// region: operator
const EphemeralVolumeClaim = defineResource({
  group: "example.com",
  version: "v1",
  kind: "EphemeralVolumeClaim",
  spec: {
    size: s.quantityText().rule({
      rule: "quantity(self).compareTo(quantity(oldSelf)) >= 0",
      message: "cannot become smaller: PersistentVolumeClaims only grow",
    }),
  },
  status: { claim: s.string().optional() },
});

const claims = defineController({
  for: EphemeralVolumeClaim,
  owns: { claims: applied(PersistentVolumeClaim) },
  finalizer: "example.com/release",
  // Instead of kopf.on.create, kopf.on.update and kopf.on.resume, and when another client has changed or deleted the claim.
  async reconcile({ object: { metadata, spec }, name, owned, setStatus }) {
    await owned.claims.apply({
      metadata: { name, labels: { ...metadata.labels } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: spec.size } } },
    });
    setStatus({ claim: name });
  },
  // Instead of kopf.on.delete.
  async cleanup({ name }) {
    released.push(name);
    return "done";
  },
});

const operator = defineOperator({
  name: "ephemeral-volumes",
  resources: [EphemeralVolumeClaim],
  controllers: [claims],
});
// endregion

await using cluster = await startCluster();
await using started = await startOperator(cluster, operator);
const { client } = started;
const at = { namespace: "default", name: "scratch" };
const sizeOf = async (): Promise<unknown> =>
  (await client.get(PersistentVolumeClaim, at))?.spec?.resources?.requests?.["storage"];

await client.create(EphemeralVolumeClaim, EphemeralVolumeClaim.make({ metadata: at, spec: { size: "1Gi" } }));
await eventually(async () => (await client.get(PersistentVolumeClaim, at))?.status?.phase === "Bound");
console.log(`created: PersistentVolumeClaim default/scratch with ${String(await sizeOf())}`);

await client.patch(EphemeralVolumeClaim, at, { merge: { spec: { size: "2Gi" } } });
await eventually(async () => (await sizeOf()) === "2Gi");
console.log("resized: 2Gi");

try {
  await client.patch(EphemeralVolumeClaim, at, { merge: { spec: { size: "1Gi" } } });
} catch (error) {
  assert.ok(error instanceof ApiError);
  console.log(
    `refused: ${/spec\.size: .*?grow/.exec(error.message.replace(/Invalid value: \S+ /, ""))?.[0] ?? error.message}`,
  );
}

await client.delete(EphemeralVolumeClaim, at);
await eventually(() => assert.deepEqual(released, ["scratch"]));
console.log("deleted: the claim is released");
