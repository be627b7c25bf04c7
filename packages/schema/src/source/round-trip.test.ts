import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toCrd } from "../resource/to-crd.ts";
import { checkSchema } from "../schema-checks/check-schema.ts";
import type { Schema } from "../structural/schema.ts";
import { evaluateDefinition, normalVersion } from "../testing/definition-source.ts";
import { randomSchema } from "../testing/random-schemas.ts";
import { Dice } from "../testing/random-source.ts";
import { sampleResources } from "../testing/sample-resources.ts";
import { definitionModule } from "./definition-module.ts";
import { type ForeignCrd, readCrd } from "./read-crd.ts";

describe("definitionModule", () => {
  for (const resource of sampleResources) {
    it(`writes a definition with the same CRD as ${resource.names.kind}`, async () => {
      const crd = crdOf(toCrd(resource, { conversionWebhook: { url: "https://127.0.0.1/convert" } }));

      const again = crdOf(await evaluateDefinition(sourceOf(crd), crd));

      assert.deepEqual(
        { ...again, versions: again.versions.map(normalVersion) },
        { ...crd, versions: crd.versions.map(normalVersion) },
      );
    });
  }

  it("writes a definition with the same CRD for random schemas", async () => {
    let compared = 0;
    for (let seed = 1; compared < 60 && seed <= 600; seed++) {
      const manifest = manifestWith(randomSchema(new Dice(seed)));
      const [version] = manifest.spec.versions;
      // An API server refuses the CRD, for example because a default is not valid.
      if (checkSchema(version?.schema.openAPIV3Schema).length > 0) continue;
      const crd = crdOf(manifest);

      const again = crdOf(await evaluateDefinition(sourceOf(crd), crd));

      assert.deepEqual(again.versions.map(normalVersion), crd.versions.map(normalVersion), `seed ${seed}`);
      compared += 1;
    }
    assert.equal(compared, 60);
  });

  it("lists all reasons why a kind cannot be defined", () => {
    const manifest = manifestWith({ type: "object" });
    const [version] = manifest.spec.versions;
    const openAPIV3Schema = {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: {
        metadata: { type: "object", properties: { namespace: { type: "string" } } },
        data: { type: "object" },
        status: { type: "object" },
      },
    };
    const read = readCrd({
      ...manifest,
      spec: { ...manifest.spec, group: "example.k8s.io", versions: [{ ...version, schema: { openAPIV3Schema } }] },
    });
    assert.ok("crd" in read);

    const written = definitionModule(read.crd);

    assert.deepEqual("problems" in written ? written.problems.map(({ path }) => path) : [], [
      "group",
      "spec.versions[0].schema.openAPIV3Schema.properties[data]",
      "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-preserve-unknown-fields",
      "spec.versions[0].schema.openAPIV3Schema.properties[metadata].properties[namespace]",
      "spec.versions[0].subresources",
    ]);
  });
});

/** Returns a manifest whose spec has this schema. */
function manifestWith(spec: Schema) {
  const properties = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" }, spec };
  const schema = { openAPIV3Schema: { type: "object", required: ["spec"], properties } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "samples.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Sample", plural: "samples" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

function crdOf(manifest: unknown): ForeignCrd {
  const read = readCrd(manifest);
  assert.ok("crd" in read, JSON.stringify(read));
  return read.crd;
}

function sourceOf(crd: ForeignCrd): string {
  const written = definitionModule(crd);
  assert.ok("source" in written, JSON.stringify(written));
  return written.source;
}
