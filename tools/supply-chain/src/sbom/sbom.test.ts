import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { programImages, publishedPackages } from "../lockfile/published.ts";
import { allSboms } from "./write.ts";

describe("the SBOMs", () => {
  const sboms = allSboms();

  it("exist for every published package and every operator image", () => {
    assert.equal(sboms.size, publishedPackages().length + programImages().length);
  });

  it("have unique references, and dependencies that refer only to components", () => {
    for (const [file, { metadata, components, dependencies }] of sboms) {
      const refs = [metadata.component, ...components].map((component) => component["bom-ref"]);
      assert.equal(new Set(refs).size, refs.length, file);
      assert.deepEqual(dependencies.map(({ ref }) => ref).toSorted(), refs.toSorted(), file);
      for (const { dependsOn } of dependencies)
        for (const ref of dependsOn) assert.ok(refs.includes(ref), `${file}: ${ref}`);
    }
  });

  it("contain version, hash and license of each external package", () => {
    const client = sboms.get("homeostat-client.cdx.json");

    const yaml = client?.components.find(({ name }) => name === "yaml");

    assert.match(yaml?.purl ?? "", /^pkg:npm\/yaml@\d+\.\d+\.\d+$/);
    assert.match(yaml?.hashes?.[0]?.content ?? "", /^[0-9a-f]{128}$/);
    assert.deepEqual(yaml?.licenses, [{ license: { id: "ISC" } }]);
  });

  it("of images do not contain the command line, which the package homeostat needs", () => {
    const has = (file: string): boolean =>
      sboms.get(file)?.components.some(({ "bom-ref": ref }) => ref.endsWith("|apps/cli")) === true;

    assert.equal(has("homeostat.cdx.json"), true);
    for (const { name } of programImages()) assert.equal(has(`image-${name}.cdx.json`), false, name);
  });

  it("contain the base image with its digest", () => {
    for (const { name } of programImages()) {
      const base = sboms.get(`image-${name}.cdx.json`)?.components.at(-1);

      assert.equal(base?.type, "container");
      assert.match(base?.purl ?? "", /^pkg:docker\/node@sha256%3A[0-9a-f]{64}\?tag=/);
    }
  });

  it("are reproducible", () => {
    assert.deepEqual([...allSboms()], [...sboms]);
  });
});
