import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fieldReference } from "./field-reference.ts";

/** A page without what a formatter does to its tables. */
function bare(page: string): string {
  return page.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---").trim();
}

describe("the reference of fields", () => {
  it("is what the definition says", () => {
    const page = readFileSync(new URL("../../../../docs/reference/tenant.md", import.meta.url), "utf8");

    assert.equal(bare(page), bare(fieldReference()), "run `npm run docs`");
  });
});
