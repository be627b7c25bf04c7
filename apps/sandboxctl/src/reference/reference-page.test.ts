import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { registry } from "../registry.ts";
import { referencePage } from "./reference-page.ts";

describe("the reference page", () => {
  it("is generated from the definitions; run npm run docs after a change", () => {
    const page = readFileSync(new URL("../../../../docs/reference/sandboxctl.md", import.meta.url), "utf8");

    assert.equal(page, referencePage(registry));
  });

  it("describes every command that help shows", () => {
    const page = referencePage(registry);

    for (const { words, isHidden } of registry.commands) {
      assert.equal(page.includes(`# ${words}\n`), isHidden !== true, words);
    }
  });
});
