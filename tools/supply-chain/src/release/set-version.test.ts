import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRecord, readText } from "../repository.ts";
import { constantFile, setVersion, withConstant, withLockedVersion, withVersion } from "./set-version.ts";

describe("the version of a release", () => {
  it("is set for the package and for the packages of the repository that it needs, and for nothing else", () => {
    const manifest = {
      name: "@x/a",
      version: "0.0.0",
      dependencies: { "@x/b": "0.0.0", yaml: "2.9.1" },
      devDependencies: { "@x/b": "0.0.0" },
      type: "module",
    };

    const result: unknown = JSON.parse(withVersion(JSON.stringify(manifest), "1.2.0", new Set(["@x/a", "@x/b"])));

    const dependencies = { "@x/b": "1.2.0", yaml: "2.9.1" };
    assert.deepEqual(result, { ...manifest, version: "1.2.0", dependencies, devDependencies: { "@x/b": "1.2.0" } });
  });

  it("is set in the lockfile, which keeps the versions of packages from the registry", () => {
    const packages = {
      "": { name: "x", version: "0.0.0" },
      "packages/a": { name: "@x/a", version: "0.0.0", dependencies: { "@x/b": "0.0.0" } },
      "node_modules/@x/a": { resolved: "packages/a", link: true },
      "node_modules/yaml": { version: "0.0.0" },
    };

    const text = withLockedVersion(JSON.stringify({ version: "0.0.0", packages }), "1.2.0", new Set(["@x/a", "@x/b"]));

    assert.deepEqual(JSON.parse(text), {
      version: "1.2.0",
      packages: {
        ...packages,
        "": { name: "x", version: "1.2.0" },
        "packages/a": { name: "@x/a", version: "1.2.0", dependencies: { "@x/b": "1.2.0" } },
      },
    });
  });

  it("is set in the module that programs read, which has that of the packages", () => {
    const module = readText(constantFile);

    assert.match(module, new RegExp(`releaseVersion = "${String(readRecord("package.json")["version"])}";`));
    assert.match(withConstant(module, "1.2.0-rc.1"), /export const releaseVersion = "1\.2\.0-rc\.1";/);
    assert.throws(() => withConstant("export const other = 1;", "1.2.0"), /must contain the constant/);
  });

  for (const version of ["", "1.2", "v1.2.0", "1.2.0; rm", "latest"]) {
    it(`rejects ${JSON.stringify(version)} and changes no file`, () => {
      assert.throws(() => setVersion(version), /is not a semantic version/);
    });
  }
});
