import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builtInKinds } from "../kinds/built-in-kinds.ts";
import { aggregatedDiscovery } from "./aggregated.ts";
import { builtInHashes, documentText } from "./documents.ts";
import { legacyGroup, legacyResourceList } from "./legacy.ts";
import { discoveryForm, documentHash } from "./negotiate.ts";
import { OpenApi } from "./openapi.ts";
import { groupsOf, resourcesOfDefinition } from "./served.ts";
import { compareVersions } from "./version-order.ts";

const widgets = resourcesOfDefinition({
  group: "example.com",
  scope: "Namespaced",
  names: { kind: "Widget", plural: "widgets", singular: "widget", shortNames: ["wd"] },
  versions: [
    { name: "v1beta1", served: true, storage: false, hasStatus: false, hasScale: false },
    { name: "v1", served: true, storage: true, hasStatus: true, hasScale: true },
    { name: "v1alpha1", served: false, storage: false, hasStatus: false, hasScale: false },
  ],
});

describe("discovery", () => {
  it("orders versions by preference", () => {
    const versions = ["v1alpha1", "foo", "v1", "v11beta2", "v2", "v10", "v1beta1", "bar", "v3alpha2"];

    assert.deepEqual(versions.toSorted(compareVersions), [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v1beta1",
      "v3alpha2",
      "v1alpha1",
      "bar",
      "foo",
    ]);
  });

  it("lists custom groups after built-in ones, without versions that are not served", () => {
    const document = aggregatedDiscovery(groupsOf(builtInKinds, widgets), "/apis");

    const last = document.items.at(-1);
    assert.equal(last?.metadata.name, "example.com");
    assert.deepEqual(
      last.versions.map(({ version }) => version),
      ["v1", "v1beta1"],
    );
    assert.deepEqual(last.versions[0]?.resources[0]?.subresources?.[1]?.responseKind, {
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
    });
  });

  it("serves the core group at /api", () => {
    const document = aggregatedDiscovery(groupsOf(builtInKinds, []), "/api");

    assert.equal(document.items.length, 1);
    assert.deepEqual(document.items[0]?.metadata, {});
  });

  it("lists the preferred version of a group first", () => {
    const autoscaling = groupsOf(builtInKinds, []).find(({ name }) => name === "autoscaling");
    assert.ok(autoscaling);

    assert.deepEqual(legacyGroup(autoscaling), {
      kind: "APIGroup",
      apiVersion: "v1",
      name: "autoscaling",
      versions: [
        { groupVersion: "autoscaling/v2", version: "v2" },
        { groupVersion: "autoscaling/v1", version: "v1" },
      ],
      preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
    });
    assert.equal(legacyResourceList(autoscaling, "v9"), undefined);
  });

  it("selects the first form that a client accepts", () => {
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const cases: [string | undefined, string][] = [
      [undefined, "legacy"],
      ["application/json", "legacy"],
      ["*/*", "legacy"],
      [`${aggregated},application/json`, "aggregated"],
      [`${aggregated.replace("v2", "v2beta1")},application/json`, "legacy"],
      [aggregated.replace("v2", "v2beta1"), "none"],
      [`${aggregated};profile=nopeer`, "aggregated"],
      ["application/xml", "none"],
    ];

    for (const [accept, form] of cases) assert.equal(discoveryForm(accept), form, accept);
  });
});

describe("OpenAPI documents", () => {
  it("have the hashes of kube-apiserver", () => {
    for (const [key, hash] of builtInHashes) {
      const text = documentText(key)?.toString("utf8");
      assert.ok(text?.startsWith('{"openapi":"3.0.0"'), key);
      assert.equal(hash.length, 128, key);
    }
  });

  it("redirect a client with an outdated hash, and can be cached with the current one", () => {
    const api = new OpenApi();
    const hash = builtInHashes.get("apis/apps/v1") ?? "";

    const old = api.document("apis/apps/v1", { hash: "AA", nowMs: 0 });
    const right = api.document("apis/apps/v1", { hash, nowMs: 0 });
    const same = api.document("apis/apps/v1", { ifNoneMatch: `"${hash}"`, nowMs: 0 });

    assert.equal(old.status, 301);
    assert.equal(old.headers["location"], `/openapi/v3/apis/apps/v1?hash=${hash}`);
    assert.equal(right.headers["cache-control"], "public, immutable");
    assert.equal(right.headers["expires"], "Fri, 01 Jan 1971 00:00:00 GMT");
    assert.equal(same.status, 304);
    assert.equal(api.document("apis/none/v1", { nowMs: 0 }).status, 404);
  });

  it("describe custom resources without leftovers of the recorded pattern", () => {
    const api = new OpenApi();
    api.setCustom([
      {
        group: "acme.example.com",
        version: "v1",
        kind: "Engine",
        listKind: "EngineList",
        plural: "engines",
        scope: "Cluster",
        hasStatus: true,
        hasScale: false,
        schema: { type: "object", properties: { spec: { "x-kubernetes-int-or-string": true } } },
      },
    ]);

    const { body } = api.document("apis/acme.example.com/v1", { nowMs: 0 });
    const text = body.toString();
    assert.doesNotMatch(text, /patternExample|pattern\.example|clusterthing|namespacedthing|7alpha7/i);
    assert.match(text, /"create an Engine"/);
    assert.match(text, /readAcmeExampleComV1EngineStatus/);
    assert.ok(api.index().paths["apis/acme.example.com/v1"]?.serverRelativeURL.endsWith(documentHash(text)));
  });
});
