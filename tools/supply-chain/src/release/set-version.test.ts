import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setVersion, withVersion } from "./set-version.ts";

describe("the version of a release", () => {
  it("is set for the package and for the packages of the repository that it needs, and for nothing else", () => {
    const manifest = {
      name: "@x/a",
      version: "0.0.0",
      dependencies: { "@x/b": "0.0.0", yaml: "2.9.1" },
      type: "module",
    };

    const result: unknown = JSON.parse(withVersion(JSON.stringify(manifest), "1.2.0", new Set(["@x/a", "@x/b"])));

    assert.deepEqual(result, { ...manifest, version: "1.2.0", dependencies: { "@x/b": "1.2.0", yaml: "2.9.1" } });
  });

  for (const version of ["", "1.2", "v1.2.0", "1.2.0; rm", "latest"]) {
    it(`rejects ${JSON.stringify(version)} and changes no file`, () => {
      assert.throws(() => setVersion(version), /is not a semantic version/);
    });
  }
});
