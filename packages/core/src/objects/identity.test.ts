import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  formatGroupKind,
  formatGroupResource,
  formatGvk,
  formatGvr,
  gvkOf,
  isSameGvk,
  isSameObject,
} from "./identity.ts";

const deployment = { group: "apps", version: "v1", kind: "Deployment" };

describe("names of kinds", () => {
  it("are derived from objects", () => {
    assert.deepEqual(gvkOf({ apiVersion: "apps/v1", kind: "Deployment" }), deployment);
    assert.deepEqual(gvkOf({ apiVersion: "v1", kind: "Pod" }), { group: "", version: "v1", kind: "Pod" });
    assert.throws(() => gvkOf({ apiVersion: "", kind: "Pod" }), { name: "ParseError" });
  });

  it("are formatted as in Kubernetes", () => {
    assert.equal(formatGvk(deployment), "apps/v1, Kind=Deployment");
    assert.equal(formatGvk({ group: "", version: "v1", kind: "Pod" }), "v1, Kind=Pod");
    assert.equal(formatGvr({ group: "apps", version: "v1", plural: "deployments" }), "apps/v1, Resource=deployments");
    assert.equal(formatGroupKind(deployment), "Deployment.apps");
    assert.equal(formatGroupKind({ group: "", kind: "Pod" }), "Pod");
    assert.equal(formatGroupResource({ group: "apps", plural: "deployments" }), "deployments.apps");
    assert.equal(formatGroupResource({ group: "", plural: "pods" }), "pods");
  });

  it("are equal only if group, version and kind are", () => {
    assert.ok(isSameGvk(deployment, { ...deployment }));
    for (const other of [{ group: "a" }, { version: "v2" }, { kind: "B" }]) {
      assert.equal(isSameGvk(deployment, { ...deployment, ...other }), false);
    }
  });
});

describe("isSameObject", () => {
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "default", name: "web", uid: "1" } };

  it("ignores the version and a missing UID", () => {
    assert.ok(isSameObject(web, { ...web, apiVersion: "apps/v1beta1" }));
    assert.ok(isSameObject(web, { ...web, metadata: { namespace: "default", name: "web" } }));
  });

  const others: [string, object][] = [
    ["another uid", { metadata: { ...web.metadata, uid: "2" } }],
    ["another name", { metadata: { ...web.metadata, name: "api" } }],
    ["another namespace", { metadata: { ...web.metadata, namespace: "other" } }],
    ["no namespace", { metadata: { name: "web", uid: "1" } }],
    ["another kind", { kind: "StatefulSet" }],
    ["another group", { apiVersion: "example.com/v1" }],
  ];
  for (const [name, change] of others) {
    it(`distinguishes objects by ${name}`, () => {
      assert.equal(isSameObject(web, { ...web, ...change }), false);
    });
  }
});
