import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builtInByKind, builtInKinds } from "../kinds/built-in-kinds.ts";
import { definitionSchema, kindSchema } from "./schemas.ts";

describe("schemas of built-in kinds", () => {
  it("exist for every stored kind", () => {
    const without = builtInKinds.filter(
      (kind) => kind.storage !== undefined && kindSchema(kind.group, kind.version, kind.kind)?.type !== "object",
    );

    assert.deepEqual(without, []);
  });

  it("contain the extensions for merging lists", () => {
    const template = kindSchema("apps", "v1", "Deployment")?.properties?.["spec"]?.properties?.["template"];
    const containers = template?.properties?.["spec"]?.properties?.["containers"];
    const ports = containers?.items?.properties?.["ports"];

    assert.equal(containers?.["x-kubernetes-list-type"], "map");
    assert.deepEqual(containers?.["x-kubernetes-list-map-keys"], ["name"]);
    assert.equal(containers?.["x-kubernetes-patch-merge-key"], "name");
    assert.deepEqual(ports?.["x-kubernetes-list-map-keys"], ["containerPort", "protocol"]);
    assert.equal(ports?.items?.properties?.["protocol"]?.default, "TCP");
  });

  it("mark int-or-string values", () => {
    const port = definitionSchema("io.k8s.api.core.v1.ServicePort")?.properties?.["targetPort"];
    const limits = definitionSchema("io.k8s.api.core.v1.ResourceRequirements")?.properties?.["limits"];

    assert.equal(port?.["x-kubernetes-int-or-string"], true);
    assert.ok(typeof limits?.additionalProperties === "object");
    assert.equal(limits.additionalProperties["x-kubernetes-int-or-string"], true);
  });

  it("support recursive types", () => {
    const props = kindSchema("apiextensions.k8s.io", "v1", "JSONSchemaProps");

    assert.equal(props?.properties?.["not"]?.properties, props?.properties);
  });

  it("come with the traits of each kind", () => {
    const lease = builtInByKind("coordination.k8s.io", "v1", "Lease");
    const pod = builtInByKind("", "v1", "Pod");

    assert.equal(lease?.allowsCreateOnUpdate, true);
    assert.equal(lease?.allowsUnconditionalUpdate, false);
    assert.equal(pod?.deletesGracefully, true);
    assert.equal(pod?.hasStatus, true);
    assert.ok(pod.subresources.some((part) => part.name === "eviction" && part.kind === "Eviction"));
  });
});
