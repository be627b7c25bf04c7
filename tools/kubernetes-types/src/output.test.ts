import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { differences, writeFiles } from "./output.ts";

describe("the output folder", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kubernetes-types-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("contains exactly the written files", () => {
    mkdirSync(join(folder, "old"));
    writeFileSync(join(folder, "old/v1.ts"), "left over");
    writeFileSync(join(folder, "stale.ts"), "old text");
    const files = new Map([
      ["stale.ts", "new text"],
      ["core/v1.ts", "text"],
    ]);

    const wrong = differences(files, folder);
    writeFiles(files, folder);

    assert.deepEqual(wrong, ["core/v1.ts", "old/v1.ts", "stale.ts"]);
    assert.deepEqual(differences(files, folder), []);
    assert.equal(readFileSync(join(folder, "core/v1.ts"), "utf8"), "text");
  });

  it("differs in every file when it does not exist", () => {
    assert.deepEqual(differences(new Map([["a.ts", ""]]), join(folder, "absent")), ["a.ts"]);
  });
});
