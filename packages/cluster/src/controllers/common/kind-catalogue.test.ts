import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiResource } from "@homeostat/client";
import { agrees, watchedKinds, preferredKinds } from "./kind-catalogue.ts";

const resource = (
  group: string,
  version: string,
  plural: string,
  verbs = ["delete", "list", "watch"],
): ApiResource => ({
  group,
  version,
  plural,
  kind: plural,
  scope: "Namespaced",
  singular: plural,
  shortNames: [],
  categories: [],
  verbs,
  subresources: [],
});

describe("KindCatalogue", () => {
  const resources = [
    resource("", "v1", "configmaps"),
    resource("", "v1", "events"),
    resource("", "v1", "bindings", ["create"]),
    resource("autoscaling", "v2", "hpas"),
    resource("autoscaling", "v1", "hpas"),
    resource("events.k8s.io", "v1", "events"),
    resource("example.com", "v1", "events"),
  ];
  const discovery = { resources, failures: new Map() };

  it("lists each kind once, in the version that the server prefers", () => {
    const versions = preferredKinds(discovery).filter(({ plural }) => plural === "hpas");

    assert.deepEqual(
      versions.map(({ version }) => version),
      ["v2"],
    );
  });

  it("watches kinds whose objects can be listed, watched and deleted, except events", () => {
    const names = watchedKinds(discovery).map(({ group, plural }) => `${plural}.${group}`);

    assert.deepEqual(names, ["configmaps.", "hpas.autoscaling", "events.example.com"]);
  });

  it("agrees with the definitions when all of them are served and no deleted one is", () => {
    assert.equal(agrees(discovery, { present: ["events.example.com"], deleted: [] }), true);
    assert.equal(agrees(discovery, { present: ["events.example.com", "a.b"], deleted: [] }), false);
    assert.equal(agrees(discovery, { present: [], deleted: ["events.example.com"] }), false);
    assert.equal(agrees(discovery, { present: [], deleted: ["a.b"] }), true);
  });
});
