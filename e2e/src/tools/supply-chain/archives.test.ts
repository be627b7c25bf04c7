// Checks the content of the archives that are published.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { type PackedPackage, packPackages, tarEntries } from "@homeostat/supply-chain";

/** The part of a published manifest that this suite reads. */
interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly bin?: unknown;
  readonly imports?: unknown;
}

interface Archive extends PackedPackage {
  /** Content by path, without the leading `package/`. */
  readonly contents: ReadonlyMap<string, string>;
  readonly manifest: Manifest;
}

describe("the archives of the published packages", () => {
  let folder = "";
  let archives: readonly Archive[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "archives-"));
    archives = await Promise.all((await packPackages(folder)).map(read));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("contain the license and a README, and no tests or other files of the repository", () => {
    assert.ok(archives.length > 20);
    for (const { name, contents } of archives) {
      assert.match(contents.get("LICENSE") ?? "", /Apache License/, name);
      assert.ok((contents.get("README.md") ?? "").length > 200, name);
      const surplus = [...contents.keys()].filter((path) =>
        /\.test\.|\/testing\/|tsbuildinfo|(?<!\.d)\.ts$/.test(path),
      );
      assert.deepEqual(surplus, [], name);
    }
  });

  it("contain every file that the manifest names, and no condition of the repository", () => {
    for (const { name, contents, manifest } of archives) {
      const { exports, bin, imports } = manifest;
      assert.doesNotMatch(JSON.stringify({ exports, imports }), /"development"/, name);
      for (const path of pathsIn([exports, bin, imports])) {
        const pattern = new RegExp(`^${path.slice(2).replaceAll(".", "\\.").replace("*", ".+")}$`);
        assert.ok(
          [...contents.keys()].some((file) => pattern.test(file)),
          `${name}: ${path}`,
        );
      }
    }
  });

  it("contain each source once", () => {
    for (const { name, contents } of archives) {
      const places = new Map<string, string>();
      for (const [path, text] of contents) {
        if (!path.endsWith(".js.map")) continue;
        const { sources, sourcesContent } = JSON.parse(text) as { sources: string[]; sourcesContent: unknown[] };
        assert.equal(sourcesContent.filter((content) => typeof content === "string").length, sources.length, path);
        for (const source of sources) {
          assert.equal(places.get(source), undefined, `${name}: ${source} is in ${path} and ${places.get(source)}`);
          places.set(source, path);
        }
      }
    }
  });

  it("depend on each other with their exact version, and on nothing that is not published", () => {
    const names = new Set(archives.map(({ name }) => name));
    for (const { name, version, manifest } of archives) {
      for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
        const isOwn = dependency === "homeostat" || dependency.startsWith("@homeostat/");
        assert.equal(names.has(dependency), isOwn, `${name} needs ${dependency}`);
        if (isOwn) assert.equal(range, version, `${name} needs ${dependency}`);
      }
    }
  });

  it("have one command each: homeostat and create-homeostat", () => {
    assert.deepEqual(
      archives.flatMap(({ name, manifest: { bin } }) => (bin === undefined ? [] : [[name, bin]])),
      [
        ["homeostat", { homeostat: "./bin/homeostat.js" }],
        ["create-homeostat", { "create-homeostat": "./bin/create-homeostat.js" }],
      ],
    );
  });
});

async function read(packed: PackedPackage): Promise<Archive> {
  const contents = new Map<string, string>();
  for (const { path, content } of tarEntries(gunzipSync(await readFile(packed.archive)))) {
    contents.set(path.replace(/^package\//, ""), content.toString("utf8"));
  }
  const manifest = JSON.parse(contents.get("package.json") ?? "") as Manifest;
  return { ...packed, contents, manifest };
}

function pathsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.startsWith("./") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}
