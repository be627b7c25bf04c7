import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { importsOf, packageOf, reachableFiles } from "./reachable-files.ts";

describe("the files that entry points need", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "reachable-"));
    const files = {
      "index.js":
        'import { a } from "./a.js";\nimport yaml from "yaml";\nawait import("./late.js");\nconsole.log(a, yaml);',
      "a.js": "export const a = 1;",
      "a.js.map": "{}",
      "late.js": 'import "node:fs";\nexport * from "@x/b/deep";',
      "unused.js": 'import "other";',
      "index.d.ts": '/**\n * import { x } from "example";\n */\nexport type { A } from "./types.ts";\n',
      "types.d.ts": 'import type { B } from "@x/types";\nexport interface A {\n  b: B;\n  c: import("@x/c").C;\n}\n',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
  after(() => rmSync(folder, { recursive: true }));

  it("are those that they import, directly or not, with their source maps", async () => {
    const { files, imported } = await reachableFiles(folder, ["index.js", "index.d.ts"]);

    const expected = ["a.js", "a.js.map", "index.d.ts", "index.js", "late.js", "types.d.ts"];
    assert.deepEqual([...files].toSorted(), expected);
    assert.deepEqual([...imported].toSorted(), ["@x/b", "@x/c", "@x/types", "yaml"]);
  });
});

describe("imports of declarations", () => {
  it("are found over several lines, and not in comments", () => {
    const text = 'import {\n  type A,\n} from "./a.ts";\nexport * from "b";\n// import "c";\nimport "./d.js";\n';

    assert.deepEqual(importsOf(text), ["./a.ts", "b", "./d.js"]);
  });

  it("belong to packages with and without a scope", () => {
    assert.deepEqual(["@x/a/b/c", "yaml/util"].map(packageOf), ["@x/a", "yaml"]);
  });
});
