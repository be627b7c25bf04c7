import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { workspaceFolders } from "../lockfile/published.ts";
import { readRecord } from "../repository.ts";
import { entryPaths, publishedManifest } from "./published-manifest.ts";

/** Packages that are not published: programs with an image, tools, tests. Everything else is for users. */
const privatePackages = [
  "apps/dashboard",
  "apps/proxy",
  "apps/route-server",
  "apps/sandboxctl",
  "apps/start",
  "apps/tunnel",
  "bench",
  "e2e",
  "examples",
];

describe("the manifests of the repository", () => {
  const folders = workspaceFolders();
  const manifests = folders.map((folder) => ({ folder, manifest: readRecord(`${folder}/package.json`) }));

  it("say which packages are private", () => {
    for (const { folder, manifest } of manifests) {
      const isPrivate = privatePackages.includes(folder) || folder.startsWith("tools/");
      assert.equal(manifest["private"], isPrivate, folder);
    }
  });

  it("have one version", () => {
    for (const { folder, manifest } of manifests) {
      if (!folder.startsWith("tools/compilers/")) assert.equal(manifest["version"], manifests[0]?.manifest["version"]);
    }
  });

  for (const { folder, manifest } of manifests.filter((one) => one.manifest["private"] === false)) {
    it(`have what a registry shows and provenance needs: ${folder}`, () => {
      const url = "git+https://github.com/homeostat/homeostat.git";
      assert.deepEqual(manifest["repository"], { type: "git", url, directory: folder });
      assert.deepEqual(manifest["publishConfig"], { access: "public", provenance: true });
      assert.deepEqual(manifest["engines"], { node: ">=20.19" });
      assert.equal(manifest["license"], "Apache-2.0");
      assert.equal(manifest["bugs"], "https://github.com/homeostat/homeostat/issues");
      assert.match(String(manifest["homepage"]), new RegExp(`/${folder}#readme$`));
      assert.ok(Array.isArray(manifest["keywords"]) && manifest["keywords"].length > 1);
      assert.match(String(manifest["description"]), /^[A-Z].*\.$/);
    });
  }
});

describe("the published manifest", () => {
  const manifest = {
    name: "@x/a",
    version: "1.0.0",
    private: false,
    type: "module",
    exports: {
      ".": { types: "./dist/index.d.ts", development: "./dist/index.js", default: "./dist/bundle.js" },
      "./testing": { types: "./dist/testing.d.ts", development: "./dist/testing.js" },
    },
    dependencies: { "@x/b": "1.0.0", bundled: "2.0.0" },
    devDependencies: { "@x/test": "1.0.0" },
  };

  it("has no conditions, entry points and dependencies of the repository", () => {
    const published = publishedManifest(manifest, { imported: new Set(["@x/b"]), files: ["dist"] });

    assert.deepEqual(published, {
      name: "@x/a",
      version: "1.0.0",
      files: ["dist"],
      type: "module",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/bundle.js" } },
      dependencies: { "@x/b": "1.0.0" },
    });
    assert.deepEqual(entryPaths(published), ["./dist/bundle.js", "./dist/index.d.ts"]);
  });

  it("is refused when the files import a package that is not a dependency", () => {
    assert.throws(
      () => publishedManifest(manifest, { imported: new Set(["@x/b", "left-pad"]), files: ["dist"] }),
      /@x\/a imports left-pad: add this to the dependencies in its package\.json/,
    );
  });
});
