import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import { rbacGroup } from "../auth/rbac/objects.ts";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { encodeStored } from "../registry/stored-object.ts";
import { ApiServer } from "./api-server.ts";
import { systemCall, systemChoice } from "../registry/system-call.ts";

const unsaid = { uid: "u", creationTimestamp: "t" };

/** Returns an object as text, without values that differ in every run. The order of its keys counts. */
function comparable(object: JsonRecord): string {
  const { resourceVersion: _, ...metadata } = recordOf(object["metadata"]);
  return Buffer.from(encodeStored({ ...object, metadata: { ...metadata, ...unsaid } })).toString("utf8");
}

describe("the default roles and bindings", () => {
  it("are stored exactly as the registry would store them", async () => {
    const clock = new FakeClock({ now: 1_800_000_000_000 });
    const server = new ApiServer({ clock, random: new SeededRandom(1) });
    await server.ready();
    const { registry, kinds } = server;

    for (const resource of ["clusterroles", "clusterrolebindings", "roles", "rolebindings"]) {
      const kind = kinds.find(rbacGroup, "v1", resource);
      assert.ok(kind);
      const stored = registry.list({ group: rbacGroup, resource, namespace: "" });
      assert.ok(stored.length > 3, resource);
      for (const object of stored) {
        const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
        const { name, namespace = "", labels, annotations } = metadata;
        // The rules of aggregated roles belong to another field manager.
        const managers = managedFieldsOf(object);
        const sent = managers.length > 1 ? { ...object, rules: null } : object;
        const body = { ...sent, metadata: { name: "copy", labels, annotations } };
        const call = systemCall(kind, { namespace: String(namespace), name: "copy" });
        const choice = { ...systemChoice(), isDryRun: true };

        const created = await registry.create(call, kind.complete(body, "Ignore").object, choice);

        const renamed = { ...created.stored, metadata: { ...recordOf(created.stored["metadata"]), name } };
        const expected =
          managers.length > 1
            ? { ...withManagedFields(renamed, [managers[0], ...managedFieldsOf(renamed)]), rules: object["rules"] }
            : renamed;
        assert.equal(comparable(object), comparable(expected), String(name));
      }
    }
  });
});

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
