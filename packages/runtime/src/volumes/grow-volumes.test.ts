import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { defineController } from "../controller/define-controller.ts";
import { FakeApi } from "../testing/controller-api.ts";
import { watched } from "../kinds/kinds.ts";
import { Operator, Site } from "../testing/sample-operator.ts";
import { growVolumes, type GrownVolumes } from "./grow-volumes.ts";

const storage = (size: string): { resources: { requests: { storage: string } } } => ({
  resources: { requests: { storage: size } },
});

/** A StatefulSet with one claim of 1Gi, and a controller that grows it to 2Gi. */
async function grow(
  allowVolumeExpansion: boolean,
  prepare: (api: FakeApi) => void = () => undefined,
): Promise<{ readonly api: FakeApi; readonly result: GrownVolumes | undefined }> {
  const api = new FakeApi([Site, StatefulSet, PersistentVolumeClaim, StorageClass]);
  let result: GrownVolumes | undefined;
  const sites = defineController({
    for: Site,
    watches: { sets: watched(StatefulSet), claims: watched(PersistentVolumeClaim) },
    async reconcile({ client, signal, watched: { sets, claims } }) {
      const statefulSet = sets.get("default/db");
      const options = { client, signal, fieldManager: "test", statefulSet, size: "2Gi" };
      result = await growVolumes({ ...options, claims: () => claims.list() });
    },
  });
  api.put(StorageClass, "disk", { allowVolumeExpansion });
  api.put(StatefulSet, "default/db", { spec: { volumeClaimTemplates: [{ spec: storage("1Gi") }] } });
  const claim = { spec: { ...storage("1Gi"), storageClassName: "disk" }, status: { capacity: { storage: "1Gi" } } };
  api.put(PersistentVolumeClaim, "default/data-db-0", claim);
  api.put(Site, "default/a", { spec: { text: "" } });
  prepare(api);
  await using operator = new Operator(sites, { api });
  await operator.lead();
  return { api, result };
}

describe("growVolumes", () => {
  it("raises the requests of claims, then deletes the StatefulSet and keeps its pods", async () => {
    let propagation: unknown;
    const { api, result } = await grow(true, (fake) => {
      fake.onWrite = (write, { body }) => {
        if (write.startsWith("DELETE")) propagation = JSON.parse(String(body)).propagationPolicy;
        return undefined;
      };
    });

    assert.deepEqual(api.writes, ["PATCH persistentvolumeclaims default/data-db-0", "DELETE statefulsets default/db"]);
    assert.equal(propagation, "Orphan");
    assert.deepEqual(result, {
      growth: { state: "growing", claims: [], isTemplateOld: true, message: "waiting for data-db-0" },
      templateSize: "2Gi",
    });
  });

  it("changes nothing when the storage class does not allow expansion", async () => {
    const { api, result } = await grow(false);

    assert.deepEqual(api.writes, []);
    assert.equal(result?.growth.state === "refused" && result.growth.reason, "ExpansionNotSupported");
    assert.equal(result?.templateSize, "1Gi", "the template is not changed");
  });

  it("reports a rejection by the API server", async () => {
    const { api, result } = await grow(true, (fake) => {
      fake.onWrite = () =>
        apiErrorFrom({
          status: 403,
          body: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", message: "no more disks" },
        });
    });

    assert.deepEqual(api.writes, ["PATCH persistentvolumeclaims default/data-db-0"]);
    assert.equal(result?.growth.state === "refused" && result.growth.message, "no more disks");
  });

  it("does nothing when every volume has the size", async () => {
    const { api, result } = await grow(true, (fake) => {
      fake.edit(StatefulSet, "default/db", { spec: { volumeClaimTemplates: [{ spec: storage("2Gi") }] } });
      fake.edit(PersistentVolumeClaim, "default/data-db-0", {
        spec: storage("2Gi"),
        status: { capacity: { storage: "2Gi" } },
      });
    });

    assert.deepEqual(api.writes, []);
    assert.deepEqual(result, { growth: { state: "settled" }, templateSize: "2Gi" });
  });
});
