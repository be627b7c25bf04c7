import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  aggregatedDiscovery,
  aggregatedType,
  builtInKinds,
  type CustomSchema,
  encodeSwagger,
  groupsOf,
  legacyGroup,
  legacyGroupList,
  legacyResourceList,
  OpenApi,
  resourcesOfDefinition,
} from "@homeostat/apiserver/internal";
import type { RealCluster } from "@homeostat/kube";
import type { Schema } from "@homeostat/schema";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { at, Server } from "./server.ts";

const skip = await reasonToSkip({ need: "apiserver" });

const schema: Schema = {
  description: "An engine.",
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      description: "What it should be.",
      type: "object",
      properties: {
        size: { "x-kubernetes-int-or-string": true, default: 3 },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        color: { type: "string", enum: ["red", "blue"], default: "red" },
        parts: {
          type: "array",
          items: { type: "object", required: ["name"], properties: { name: { type: "string", maxLength: 9 } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        labels: { type: "object", additionalProperties: { type: "string" } },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
      "x-kubernetes-validations": [{ rule: "self.color != 'green'", message: "no green" }],
    },
    status: { type: "object", nullable: true, properties: { replicas: { type: "integer", format: "int32" } } },
  },
};

describe("discovery, compared with a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;
  const definitions = [
    { kind: "Engine", plural: "engines", scope: "Namespaced", group: "kinds.example.com", hasScale: true },
    { kind: "Glass", plural: "glasses", scope: "Cluster", group: "kinds.example.com", hasScale: false },
    { kind: "Wheels", plural: "wheels", scope: "Namespaced", group: "beta-kinds.example.com", hasScale: true },
  ] as const;

  const versions = [
    { name: "v1beta1", served: true, storage: false, hasStatus: true, hasScale: false },
    { name: "v1", served: true, storage: true, hasStatus: true, hasScale: true },
    { name: "v0", served: false, storage: false, hasStatus: false, hasScale: false },
  ];
  const custom = definitions.flatMap(({ kind, plural, scope, group, hasScale }) =>
    resourcesOfDefinition({
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), categories: ["kinds"] },
      versions: versions.map((version) => ({ ...version, hasScale: version.hasScale && hasScale })),
    }),
  );

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    server = new Server(cluster);
    for (const { kind, plural, scope, group, hasScale } of definitions) {
      await server.good({
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        body: {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: `${plural}.${group}` },
          spec: {
            group,
            scope,
            names: { kind, plural, categories: ["kinds"] },
            versions: versions.map((version) => ({
              name: version.name,
              served: version.served,
              storage: version.storage,
              schema: { openAPIV3Schema: schema },
              subresources: {
                ...(version.hasStatus ? { status: {} } : {}),
                ...(version.hasScale && hasScale
                  ? { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" } }
                  : {}),
              },
              selectableFields: [{ jsonPath: ".spec.color" }],
            })),
          },
        },
      });
    }
    const deadline = Date.now() + 30_000;
    for (;;) {
      const index = await server.good({ path: "/openapi/v3" });
      const document = await server.ask({ path: "/openapi/v3/apis/kinds.example.com/v1" });
      const isThere = ["engines", "glasses"].every((name) => document.text.includes(`/${name}/{name}`));
      if (isThere && at(index, "paths", "apis/beta-kinds.example.com/v1") !== undefined) break;
      if (Date.now() > deadline) throw new Error("the documents of the custom resources did not appear");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });

  after(async () => {
    for (const { plural, group } of definitions) {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
      await server.ask({ method: "DELETE", path });
    }
    server.close();
    await cluster.stop();
  });

  it("returns the same aggregated documents", async () => {
    const groups = groupsOf(builtInKinds, custom);
    for (const path of ["/api", "/apis"] as const) {
      const response = await server.ask({ path, headers: { accept: aggregatedType } });

      assert.equal(response.headers["content-type"], aggregatedType);
      assert.deepEqual(plain(aggregatedDiscovery(groups, path)), withoutOthers(response.body, "items"));
    }
  });

  it("returns the same legacy documents", async () => {
    const groups = groupsOf(builtInKinds, custom);
    const response = await server.good({ path: "/apis" });
    assert.deepEqual(plain(legacyGroupList(groups)), withoutOthers(response, "groups"));
    for (const group of groups) {
      const base = group.name === "" ? "/api" : `/apis/${group.name}`;
      if (group.name !== "") assert.deepEqual(plain(legacyGroup(group)), await server.good({ path: base }));
      for (const { version } of group.versions) {
        const path = `${base}/${version}`;
        assert.deepEqual(byName(plain(legacyResourceList(group, version))), byName(await server.good({ path })), path);
      }
    }
  });

  it("returns the same OpenAPI documents with the same hashes", async () => {
    const api = new OpenApi();
    const index = await server.good({ path: "/openapi/v3" });
    let count = 0;
    for (const [key, entry] of Object.entries(api.index().paths)) {
      const url = String(at(index, "paths", key, "serverRelativeURL"));
      assert.equal(entry.serverRelativeURL, url);
      const ours = api.document(key, { nowMs: Date.now() });
      assert.equal(ours.body.toString(), (await server.ask({ path: url })).text, key);
      count += 1;
    }
    assert.ok(count >= 40);
  });

  it("returns the same definitions to clients of OpenAPI v2", async () => {
    const ours = new OpenApi().swagger();
    const theirs = await server.good({ path: "/openapi/v2" });
    const definitions = at(ours, "definitions");
    assert.ok(typeof definitions === "object" && definitions !== null);
    let count = 0;
    for (const [name, definition] of Object.entries(definitions)) {
      assert.deepEqual(definition, at(theirs, "definitions", name), name);
      count += 1;
    }
    assert.ok(count > 400);
    for (const [path, item] of Object.entries(at(ours, "paths") as object)) {
      const want = at(theirs, "paths", path);
      assert.deepEqual(Object.keys(item as object).toSorted(), Object.keys(want as object).toSorted(), path);
      for (const method of ["get", "post", "put", "patch", "delete"]) {
        assert.equal(at(item, method, "operationId"), at(want, method, "operationId"), path);
      }
    }
  });

  it("encodes the OpenAPI v2 document of the real server to the same protobuf", async () => {
    const document = await server.good({ path: "/openapi/v2" });
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const { text } = await server.ask({ path: "/openapi/v2", headers: { accept } });

    const encoded = encodeSwagger(document);

    // The document was decoded as UTF-8, so both sides are compared after that.
    assert.ok(encoded.length > 1_000_000);
    assert.equal(encoded.toString("utf8"), text);
  });

  it("describes custom resources as the real server does", async () => {
    const api = new OpenApi();
    api.setCustom(
      custom.map((each): CustomSchema => ({
        ...each,
        listKind: `${each.kind}List`,
        hasStatus: each.subresources.some(({ name }) => name === "status"),
        hasScale: each.subresources.some(({ name }) => name === "scale"),
        schema,
        selectableFields: [".spec.color"],
      })),
    );
    for (const key of ["kinds.example.com/v1", "kinds.example.com/v1beta1", "beta-kinds.example.com/v1"]) {
      const ours: unknown = JSON.parse(api.document(`apis/${key}`, { nowMs: 0 }).body.toString());
      const theirs = await server.good({ path: `/openapi/v3/apis/${key}` });

      assert.deepEqual(ours, theirs, key);
    }
  });
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function withoutOthers(document: unknown, list: string): unknown {
  const items = at(document, list);
  assert.ok(Array.isArray(items));
  const kept = items.filter((item: unknown) => {
    const name = [at(item, "metadata", "name"), at(item, "name")].find((each) => typeof each === "string") ?? "";
    return !name.includes(".example.com") || name.includes("kinds.example.com");
  });
  return { ...(document as object), [list]: kept };
}

/** Sorts custom resources: real servers list those of a group in random order. */
function byName(document: unknown): unknown {
  const resources = at(document, "resources");
  assert.ok(Array.isArray(resources));
  const sorted = resources.toSorted((a: unknown, b: unknown) =>
    String(at(a, "name")) < String(at(b, "name")) ? -1 : 1,
  );
  return { ...(document as object), resources: sorted };
}
