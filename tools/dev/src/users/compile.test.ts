import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { codeBlocks } from "../tidy/code-blocks.ts";
import { listFiles, readFiles, root } from "../tidy/tree.ts";
import { compile, compilers } from "./compile.ts";

/** Every example, and every other program that a README or a guide shows; modules of a package compile with it. */
const shown = readFiles((path) => /(^|\/)README\.md$|^docs\/guides\//.test(path)).flatMap(({ text }) =>
  codeBlocks(text)
    .filter(({ language }) => language === "ts")
    .flatMap(({ source }) => source?.split("#")[0] ?? []),
);
const examples = listFiles().filter((path) => /^examples\/.*\.ts$/.test(path));
const programs = [...new Set([...examples, ...shown])].filter((path) => !path.startsWith("packages/"));

const wrong = `import { defineResource, s } from "homeostat";
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
  folder = await mkdtemp(join(root, "examples", "dist", "wrong-"));
  await writeFile(join(folder, "wrong.ts"), wrong);
});
after(() => rm(folder, { recursive: true }));

// Starting a compiler costs more than what it compiles here: each runs twice, with everything there is to compile.
describe("the programs of the README and the guides", { concurrency: 2 }, () => {
  it("are found", () => {
    assert.ok(programs.includes("examples/readme.ts"));
    assert.ok(programs.includes("examples/first-operator/main.ts"));
    assert.ok(programs.includes("e2e/src/operator/sites.ts"));
  });

  for (const compiler of compilers) {
    it(`compile for Node with TypeScript ${compiler.version}, and so do the declarations they use`, async () => {
      const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };

      const { code, output } = await compile(compiler, {
        files: programs,
        options: { module: "nodenext", ...strictest },
      });

      assert.equal(output, "");
      assert.equal(code, 0);
    });

    it(`compile for a bundler with TypeScript ${compiler.version}, which says what a list without a type lacks`, async () => {
      const wrongFile = relative(root, join(folder, "wrong.ts"));

      const { code, output } = await compile(compiler, {
        files: [...programs, wrongFile],
        options: { module: "esnext", moduleResolution: "bundler", skipLibCheck: true },
      });

      const errors = output.trimEnd().split(/\n(?=\S)/);
      assert.notEqual(code, 0);
      assert.deepEqual(
        errors.map((error) => /^(.*)\((\d+),/.exec(error)?.slice(1)),
        [
          [wrongFile, "7"],
          [wrongFile, "8"],
        ],
        output,
      );
      for (const error of errors)
        assert.match(error, /list type: add \.set\(\), \.atomic\(\) or \.mapBy\(\\"name\\"\)/);
    });
  }
});
