import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { arrows, folderOf, fromAppModels, fromOperatorTests, withoutNode } from "./arrows.ts";
import { importsOf, npmPackageOf, ownPackageOf } from "./imports.ts";
import { isProductCode, isTestCode, listFiles, readFiles, readText } from "./tree.ts";

const packages = [
  ...new Set(
    listFiles().flatMap((path) => {
      const [, folder, name] = /^(packages|operators)\/([^/]+)\/package\.json$/.exec(path) ?? [];
      if (name === undefined) return [];
      return folder === "operators" ? `${name}-operator` : name;
    }),
  ),
].sort();

describe("allowed imports between packages", () => {
  it("are defined for every package and refer to existing packages", () => {
    assert.deepEqual(packages, Object.keys(arrows).sort());
    for (const targets of Object.values(arrows)) for (const target of targets) assert.ok(packages.includes(target));
  });

  it("match docs/internals/architecture.md", () => {
    const rows = [...readText("docs/internals/architecture.md").matchAll(/^\| `([\w-]+)` +\| ([^|]*?) +\|$/gm)];
    const drawn = rows
      .filter(([, name]) => name !== undefined && packages.includes(name))
      .map(([, name, cell]) => [name, [...(cell ?? "").matchAll(/`(\w+)`/g)].map((match) => match[1])]);

    assert.deepEqual(Object.fromEntries(drawn), arrows);
  });

  it("contain no cycle", () => {
    const visit = (name: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(name), `${[...trail, name].join(" → ")} is a cycle`);
      for (const target of arrows[name] ?? []) visit(target, [...trail, name]);
    };
    for (const name of packages) visit(name, []);
  });

  for (const name of packages) {
    it(`are respected by ${name}`, () => {
      const wrong = sourcesOf(name).flatMap(({ path, text }) =>
        importsOf(text)
          .filter(({ specifier }) => {
            const target = ownPackageOf(specifier);
            if (target === name && isTestCode(path)) return false;
            return target !== undefined && ![...(arrows[name] ?? []), ...extrasOf(path)].includes(target);
          })
          .map(({ specifier, line }) => `${path}:${line} imports ${specifier}`),
      );

      assert.deepEqual(wrong, []);
    });

    it(`match the dependencies and references that ${name} declares`, () => {
      const manifest = JSON.parse(readText(`${folderOf(name)}/package.json`)) as {
        bin?: Record<string, string>;
        dependencies?: Record<string, string>;
        devDependencies?: Record<string, string>;
        peerDependencies?: Record<string, string>;
      };
      const config = JSON.parse(readText(`${folderOf(name)}/tsconfig.json`)) as { references?: { path: string }[] };
      const imported = new Set(
        sourcesOf(name)
          .filter(({ path }) => isProductCode(path))
          .flatMap(({ text }) => importsOf(text).flatMap(({ specifier }) => npmPackageOf(specifier) ?? [])),
      );

      // The program of a package is plain JavaScript, and no compiler needs a reference to the packages that it loads.
      const programs = Object.values(manifest.bin ?? {}).map((path) => readText(`${folderOf(name)}/${path}`));
      const loaded = new Set(
        programs.flatMap((text) => importsOf(text).flatMap(({ specifier }) => npmPackageOf(specifier) ?? [])),
      );
      const declared = Object.keys(manifest.dependencies ?? {}).filter((each) => !loaded.has(each));
      const peers = Object.keys(manifest.peerDependencies ?? {});
      const references = (config.references ?? []).map(({ path }) => path.split("/").at(-1) ?? "");

      assert.deepEqual(
        [...imported].sort(),
        [...declared, ...peers].sort(),
        "package.json must list exactly what the code imports",
      );
      assert.deepEqual(
        references.sort(),
        [...declared, ...Object.keys(manifest.devDependencies ?? {})].flatMap((key) => ownPackageOf(key) ?? []).sort(),
        "tsconfig.json must reference the same packages",
      );
    });
  }
});

describe("packages without I/O", () => {
  it("import no built-in module of Node", () => {
    const wrong = withoutNode.flatMap((name) =>
      sourcesOf(name)
        .filter(({ path }) => isProductCode(path))
        .flatMap(({ path, text }) =>
          importsOf(text)
            .filter(({ specifier }) => specifier.startsWith("node:"))
            .map(({ specifier, line }) => `${path}:${line} imports ${specifier}`),
        ),
    );

    assert.deepEqual(wrong, []);
  });
});

describe("importsOf", () => {
  it("finds every form of import", () => {
    const text = [
      'import a from "a";',
      'import type { B } from "@homeostat/b";',
      'import {\n  c,\n} from "./c.ts";',
      'export { d } from "d/sub";',
      'import "node:e";',
      'const f = await import("f");',
      'const notOne = "import x from y";',
    ].join("\n");

    const found = importsOf(text).map(({ specifier }) => specifier);

    assert.deepEqual(found, ["a", "@homeostat/b", "./c.ts", "d/sub", "node:e", "f"]);
    assert.deepEqual(found.map(npmPackageOf), ["a", "@homeostat/b", undefined, "d", undefined, "f"]);
    assert.deepEqual(
      importsOf(text).filter(({ isType }) => isType),
      [{ specifier: "@homeostat/b", line: 2, isType: true }],
    );
  });
});

/** Tools that tests of every package may import. */
const testTools: readonly string[] = ["fuzz", "hostile-peers"];

/** Returns packages that a file may import in addition to those allowed for its package. */
function extrasOf(path: string): readonly string[] {
  const isOperator = path.startsWith("operators/");
  if (isTestCode(path)) return isOperator ? [...testTools, ...fromOperatorTests] : testTools;
  return /^operators\/[^/]+\/src\/app-model\//.test(path) ? fromAppModels : [];
}

function sourcesOf(name: string): { path: string; text: string }[] {
  return readFiles((path) => path.startsWith(`${folderOf(name)}/src/`) && path.endsWith(".ts"));
}
