import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { codeBlocks } from "../tidy/code-blocks.ts";
import { listFiles, readFiles, root } from "../tidy/tree.ts";
import { compile, type Compiler, compilers } from "./compile.ts";

/** Sources of the code blocks in READMEs and guides. Files of packages are excluded below: they are compiled by the build. */
const shownPrograms = readFiles((path) => /(^|\/)README\.md$|^docs\/guides\//.test(path)).flatMap(({ text }) =>
  codeBlocks(text)
    .filter(({ language }) => language === "ts")
    .flatMap(({ source }) => source?.split("#")[0] ?? []),
);
const examples = listFiles().filter((path) => /^examples\/.*\.ts$/.test(path));
const programs = [...new Set([...examples, ...shownPrograms])].filter((path) => !path.startsWith("packages/"));

/**
 * Programs for a compiler with the module resolution of bundlers. Compilers written in JavaScript take seconds for all
 * programs, which they compile with the resolution of Node anyway, so without `--full` they compile the README's program.
 */
function programsForBundler({ version }: Compiler): readonly string[] {
  return version === "7.0" || process.env["HOMEOSTAT_FULL"] === "1" ? programs : ["examples/readme.ts"];
}

const invalid = `import { defineResource, s } from "homeostat";
export const Site = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "Site",
  spec: {
    tags: s.list(s.string()),
    ports: s.list(s.int()).optional(),
  },
});
`;

let folder = "";
before(async () => {
  folder = await mkdtemp(join(root, "examples", "dist", "invalid-"));
  await writeFile(join(folder, "invalid.ts"), invalid);
});
after(() => rm(folder, { recursive: true }));

// Starting a compiler takes longer than compiling these files, so each compiler runs only twice, with all files at once.
describe("the programs in the README and the guides", { concurrency: 2 }, () => {
  it("are found", () => {
    assert.ok(programs.includes("examples/readme.ts"));
    assert.ok(programs.includes("examples/first-operator/main.ts"));
    assert.ok(programs.includes("e2e/src/packages/operator/sites.ts"));
  });

  for (const compiler of compilers) {
    it(`compile for Node with TypeScript ${compiler.version}, including the declarations they use`, async () => {
      const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };

      const { code, output } = await compile(compiler, {
        files: programs,
        options: { module: "nodenext", ...strictest },
      });

      assert.equal(output, "");
      assert.equal(code, 0);
    });

    it(`compile for a bundler with TypeScript ${compiler.version}, which explains a missing list type`, async () => {
      const invalidFile = relative(root, join(folder, "invalid.ts"));

      const { code, output } = await compile(compiler, {
        files: [...programsForBundler(compiler), invalidFile],
        options: { module: "esnext", moduleResolution: "bundler", skipLibCheck: true },
      });

      const errors = output.trimEnd().split(/\n(?=\S)/);
      assert.notEqual(code, 0);
      assert.deepEqual(
        errors.map((error) => /^(.*)\((\d+),/.exec(error)?.slice(1)),
        [
          [invalidFile, "7"],
          [invalidFile, "8"],
        ],
        output,
      );
      for (const error of errors)
        assert.match(error, /list type: add \.set\(\), \.atomic\(\) or \.mapBy\(\\"name\\"\)/);
    });
  }
});
