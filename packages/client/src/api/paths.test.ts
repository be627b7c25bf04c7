import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError } from "@homeostat/core";
import fc from "fast-check";
import { collectionPath, objectPath, withQuery } from "./paths.ts";

const pods = { group: "", version: "v1", plural: "pods", scope: "Namespaced" } as const;
const deployments = { group: "apps", version: "v1", plural: "deployments", scope: "Namespaced" } as const;
const nodes = { group: "", version: "v1", plural: "nodes", scope: "Cluster" } as const;

const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "a\udc00", "😀"));

describe("paths", () => {
  it("are built for collections and objects", () => {
    assert.equal(collectionPath(pods), "/api/v1/pods");
    assert.equal(collectionPath(deployments, "web"), "/apis/apps/v1/namespaces/web/deployments");
    assert.equal(
      objectPath(deployments, { namespace: "web", name: "a.b" }),
      "/apis/apps/v1/namespaces/web/deployments/a.b",
    );
    assert.equal(
      objectPath(deployments, { namespace: "web", name: "a" }, "status"),
      "/apis/apps/v1/namespaces/web/deployments/a/status",
    );
    assert.equal(objectPath(nodes, { name: "n" }, "proxy/metrics"), "/api/v1/nodes/n/proxy/metrics");
  });

  it("are refused for names that are empty or contain path separators", () => {
    for (const name of ["", ".", "..", "a/b", "a%2fb", "a?b", "a#b", "a\\b", "a\nb", "../secrets/x", "\ud800"]) {
      assert.throws(() => objectPath(pods, { namespace: "d", name }), ArgumentError, name);
      if (name !== "") assert.throws(() => collectionPath(pods, name), ArgumentError, name);
    }
    assert.throws(() => objectPath(pods, { name: "a" }), /namespace is required/);
    assert.throws(() => objectPath(nodes, { name: "a", namespace: "d" }), /is cluster-scoped/);
  });

  it("of objects never end at a collection", () => {
    fc.assert(
      fc.property(anyText, anyText, (namespace, name) => {
        let path;
        try {
          path = objectPath(pods, { namespace, name });
        } catch (error) {
          assert.ok(error instanceof ArgumentError);
          return;
        }
        const { pathname } = new URL(path, "https://h");
        assert.equal(pathname.split("/").length, 7);
        assert.equal(decodeURIComponent(pathname.split("/")[6] ?? ""), name);
        assert.equal(decodeURIComponent(pathname.split("/")[4] ?? ""), namespace);
      }),
      { numRuns: 5000 },
    );
  });

  it("are extended by query parameters", () => {
    assert.equal(
      withQuery("/x", { limit: 5, watch: true, dryRun: undefined, force: false, a: ["1", "2"] }),
      "/x?limit=5&watch=true&a=1&a=2",
    );
    assert.equal(withQuery("/x", { labelSelector: "a in (b,c)" }), "/x?labelSelector=a+in+%28b%2Cc%29");
    assert.equal(withQuery("/x", {}), "/x");
  });
});
