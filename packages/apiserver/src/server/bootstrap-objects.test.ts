import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, isRecord, type JsonRecord, parseApiVersion, SeededRandom } from "@homeostat/core";
import { managedFieldsOf } from "../apply/object-managed-fields.ts";
import { encodeStored } from "../registry/stored-object.ts";
import { ApiServer } from "./api-server.ts";
import { authenticationName } from "./bootstrap-objects.ts";
import { standardOptions } from "./standard-options.ts";
import { systemCall, systemChoice } from "../registry/system-call.ts";

/** Returns an object as text, without values that differ in every run. The order of its keys counts. */
function comparable(object: JsonRecord): string {
  const { resourceVersion: _, uid: __, ...metadata } = recordOf(object["metadata"]);
  return Buffer.from(encodeStored({ ...object, metadata })).toString("utf8");
}

/** Returns the fields that are sent to the registry; it completes the rest. */
function sentFields(object: JsonRecord): JsonRecord {
  const { metadata, status: _, ...content } = object;
  const { name, namespace, labels, annotations } = recordOf(metadata);
  const sent = { ...content, metadata: { name, namespace, labels, annotations } };
  if (object["kind"] === "Namespace") return { ...sent, spec: {} };
  if (object["kind"] !== "Service") return sent;
  const { clusterIPs: __, ipFamilies: ___, ...spec } = recordOf(object["spec"]);
  return { ...sent, spec };
}

describe("the bootstrap objects of a new cluster", () => {
  it("are stored exactly as the registry would store them", async () => {
    const clock = new FakeClock({ now: 1_800_000_000_000 });
    await using server = new ApiServer(standardOptions({ clock, random: new SeededRandom(1) }));
    await using empty = new ApiServer(
      standardOptions({ clock, random: new SeededRandom(2), isBootstrapped: false, authorization: "always" }),
    );
    await server.ready();
    await empty.ready();
    const own = /rbac\.authorization|flowcontrol|apiregistration/;
    const entries = server.store
      .view()
      .entries({ prefix: "" })
      .filter(({ key }) => !own.test(key))
      .toSorted((a, b) => a.revision - b.revision);

    assert.equal(entries.length, 14);
    for (const entry of entries) {
      const object = server.store.read(entry);
      const { group, version } = parseApiVersion(String(object["apiVersion"]));
      const kind = empty.kinds.findKind(group, version, String(object["kind"]));
      assert.ok(kind);
      const { name = "", namespace = "" } = recordOf(object["metadata"]);
      const call = systemCall(kind, { namespace: String(namespace), name: String(name) });
      // The address of the Service is allocated already.
      if (object["kind"] === "IPAddress") empty.store.delete(entry.key);

      const created = await empty.registry.create(
        call,
        kind.complete(sentFields(object), "Ignore").object,
        systemChoice(),
      );

      if (object["kind"] === "ServiceCIDR") {
        // Its status is written separately.
        assert.deepEqual(managedFieldsOf(object).slice(1), managedFieldsOf(created.stored));
        continue;
      }
      assert.equal(comparable(object), comparable(created.stored), entry.key);
    }
  });
});

describe("a cluster that is restarted", () => {
  it("publishes the CAs of its new certificates to aggregated servers", async () => {
    const clock = new FakeClock({ now: 1_800_000_000_000 });
    await using first = new ApiServer(standardOptions({ clock, random: new SeededRandom(1) }));
    await first.ready();
    await using second = new ApiServer(standardOptions({ clock, random: new SeededRandom(2), from: first.snapshot() }));
    await second.ready();
    const name = { group: "", resource: "configmaps", namespace: "kube-system", name: authenticationName };

    const data = recordOf(second.registry.get(name)?.["data"]);

    const { frontProxy, clientAuthorities } = second.certificates;
    assert.notEqual(frontProxy.ca, first.certificates.frontProxy.ca);
    assert.equal(data["requestheader-client-ca-file"], frontProxy.ca);
    assert.equal(data["client-ca-file"], clientAuthorities);
  });
});

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
