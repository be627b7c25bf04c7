import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Lockfile } from "./lockfile.ts";

const lockfile = new Lockfile(
  JSON.stringify({
    packages: {
      "": { name: "repository" },
      "packages/a": { name: "@x/a", version: "1.0.0", dependencies: { "@x/b": "1.0.0", shared: "1.0.0" } },
      "packages/b": {
        name: "@x/b",
        version: "1.0.0",
        dependencies: { shared: "2.0.0" },
        devDependencies: { onlyDev: "1.0.0" },
        peerDependencies: { absent: "1.0.0" },
      },
      "node_modules/@x/a": { resolved: "packages/a", link: true },
      "node_modules/@x/b": { resolved: "packages/b", link: true },
      "node_modules/shared": { version: "1.0.0" },
      "packages/b/node_modules/shared": { version: "2.0.0", dependencies: { deep: "1.0.0" } },
      "node_modules/deep": { version: "1.0.0", dependencies: { shared: "1.0.0" } },
      "node_modules/onlyDev": { version: "1.0.0" },
    },
  }),
);

describe("a lockfile", () => {
  it("resolves dependencies from the nearest node_modules, follows links and excludes development dependencies", () => {
    const found = lockfile.closureOf(lockfile.at("packages/a")).map(({ path, version }) => `${path} ${version}`);

    assert.deepEqual(found, [
      "node_modules/deep 1.0.0",
      "node_modules/shared 1.0.0",
      "packages/a 1.0.0",
      "packages/b 1.0.0",
      "packages/b/node_modules/shared 2.0.0",
    ]);
  });

  it("lists only external packages", () => {
    assert.deepEqual(
      lockfile.external().map(({ name }) => name),
      ["shared", "shared", "deep", "onlyDev"],
    );
  });

  it("names the missing package in its error", () => {
    assert.throws(() => lockfile.at("packages/c"), /no package at packages\/c/);
  });
});
