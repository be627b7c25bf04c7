import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Controller } from "../testing/managed-bench.ts";
import type { FakeApi } from "../testing/writes-api.ts";
import { apiWithBox, ConfigMap, otherClient, settled } from "../testing/writes-bench.ts";
import { ApplyConflictError } from "../writes/errors.ts";
import { desired, type ObjectOutcome } from "./desired.ts";
import type { ConflictPolicy } from "./managed-objects.ts";

const key = { namespace: "default", name: "a" };

/** Syncs a config map with one value, and returns its outcome. */
async function sync(controller: Controller, value: string, conflicts?: ConflictPolicy): Promise<ObjectOutcome> {
  const object = desired(ConfigMap, { metadata: { name: "a" }, data: { a: value } });
  const tiers = [{ name: "all", objects: [object] }];
  const result = await settled(controller.clock, controller.reconcile().sync(tiers, { conflicts }));
  return result.outcomes.get(object) ?? assert.fail("no outcome");
}

/** Creates the config map, and lets another client change its value. */
async function start(): Promise<{ api: FakeApi; controller: Controller }> {
  const api = await apiWithBox();
  const controller = new Controller(api);
  await sync(controller, "1");
  await otherClient(api).patch(ConfigMap, key, { merge: { data: { a: "x" } } });
  controller.sync();
  api.requests.length = 0;
  return { api, controller };
}

const dataOf = (api: FakeApi): unknown => api.read("configmaps", "default/a")?.["data"];

describe("fields of other field managers", () => {
  it("are taken with one forced request by default", async () => {
    const { api, controller } = await start();

    const outcome = await sync(controller, "1");

    assert.equal(outcome.result, "corrected");
    assert.ok(!("taken" in outcome));
    assert.deepEqual(dataOf(api), { a: "1" });
    // The first apply of a created object moves its fields to the Apply entry.
    assert.deepEqual(api.requests, [
      "GET configmaps default/a",
      "PATCH configmaps default/a",
      "PATCH configmaps default/a",
    ]);
  });

  it("are taken and named by the policy `take`, also if the desired value has changed", async () => {
    for (const [value, result] of [
      ["1", "corrected"],
      ["2", "updated"],
    ] as const) {
      const { api, controller } = await start();

      const outcome = await sync(controller, value, "take");

      assert.equal(outcome.result, result);
      assert.deepEqual("taken" in outcome && outcome.taken, [{ field: "data.a", manager: "other-client" }]);
      assert.deepEqual(dataOf(api), { a: value });
    }
  });

  it("are left alone by the policy `fail`, and the error names fields and managers", async () => {
    const { api, controller } = await start();

    const outcome = await sync(controller, "1", "fail");

    assert.ok(outcome.result === "failed" && outcome.error instanceof ApplyConflictError);
    assert.deepEqual(outcome.error.conflicts, [{ field: "data.a", manager: "other-client" }]);
    assert.match(outcome.error.message, /^ConfigMap default\/a was not applied/);
    assert.deepEqual(dataOf(api), { a: "x" });
  });

  for (const policy of ["take", "fail"] as const) {
    it(`cost no request by the policy \`${policy}\` if there are none`, async () => {
      const api = await apiWithBox();
      const controller = new Controller(api);
      await sync(controller, "1");
      await sync(controller, "2");
      api.requests.length = 0;

      const outcome = await sync(controller, "3", policy);

      assert.equal(outcome.result, "updated");
      assert.deepEqual(api.requests, ["GET configmaps default/a", "PATCH configmaps default/a"]);
    });
  }
});
