import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@homeostat/client";
import { FakeClock, SeededRandom } from "@homeostat/core";
import {
  PersistentVolume,
  type PersistentVolumeAccessMode,
  PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
} from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { startCluster } from "../../start/start-cluster.ts";

const namespace = "default";
const size = { storage: "1Gi" };
const accessModes: PersistentVolumeAccessMode[] = ["ReadWriteOnce"];

function claim(name: string, spec: PersistentVolumeClaimSpec = {}): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace, name },
    spec: { accessModes, resources: { requests: size }, storageClassName: "", ...spec },
  };
}

function volume(name: string, reservedFor?: string): PersistentVolume {
  const claimRef = reservedFor === undefined ? {} : { claimRef: { namespace, name: reservedFor } };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: { accessModes, capacity: size, hostPath: { path: `/data/${name}` }, ...claimRef },
  };
}

describe("the volume binder", () => {
  it("binds claims to free, reserved, named and provisioned volumes", async () => {
    const clock = new FakeClock();
    await using cluster = await startCluster({ clock, random: new SeededRandom(1) });
    using client = createClient(cluster.transport(), { clock });
    const advance = async (): Promise<void> => {
      for (let step = 0; step < 10; step += 1) await clock.advance(100);
    };
    while ((await client.list(StorageClass)).items.length === 0) await advance();
    await client.create(StorageClass, {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "now" },
      provisioner: "simulated.homeostat.dev",
      volumeBindingMode: "Immediate",
    });

    await client.create(PersistentVolume, volume("reserved", "wants-reserved"));
    await client.create(PersistentVolume, volume("named"));
    await client.create(PersistentVolumeClaim, claim("wants-named", { volumeName: "named" }));
    await client.create(PersistentVolumeClaim, claim("wants-reserved"));
    await client.create(PersistentVolumeClaim, claim("wants-any"));
    for (let n = 0; n < 20; n += 1) {
      await client.create(PersistentVolumeClaim, claim(`made-${n}`, { storageClassName: "now" }));
    }
    for (let seconds = 0; seconds < 10; seconds += 1) await advance();
    await client.create(PersistentVolume, volume("free"));
    for (let seconds = 0; seconds < 10; seconds += 1) await advance();
    const { items } = await client.list(PersistentVolumeClaim, { namespace });

    const volumeOf = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.volumeName]));
    assert.deepEqual(new Set(items.map(({ status }) => status?.phase)), new Set(["Bound"]));
    assert.equal(volumeOf.get("wants-named"), "named");
    assert.equal(volumeOf.get("wants-reserved"), "reserved");
    assert.equal(volumeOf.get("wants-any"), "free");
    assert.equal(new Set(volumeOf.values()).size, items.length, "no two claims have the same volume");
  });
});
