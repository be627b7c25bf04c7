import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { shellQuote } from "./cli/commands.ts";
import { CacheUnwritableError, DiskFullError, InterruptedError, explain } from "./errors.ts";
import { ageText } from "./processes/time.ts";

describe("explain", () => {
  it("distinguishes a full disk and a forbidden folder from other failures", () => {
    const failure = (code: string): Error => Object.assign(new Error(code), { code, path: "/x" });

    assert.ok(explain(failure("ENOSPC")) instanceof DiskFullError);
    assert.ok(explain(failure("EROFS")) instanceof CacheUnwritableError);
    const other = failure("EIO");
    assert.equal(explain(other), other);
  });

  it("keeps errors that are already clear", () => {
    const usage = new UsageError("x");

    assert.equal(explain(usage), usage);
    assert.ok(explain(new DOMException("stop", "AbortError")) instanceof InterruptedError);
  });

  it("recognizes a full disk", { skip: process.platform !== "linux" && "only Linux has /dev/full" }, () => {
    assert.throws(
      () => {
        writeFileSync("/dev/full", "x");
      },
      (error) => explain(error) instanceof DiskFullError,
    );
  });
});

describe("shellQuote", () => {
  it("leaves plain words unchanged and quotes the others", () => {
    assert.equal(shellQuote("/a/b-1.2_c"), "/a/b-1.2_c");
    assert.equal(shellQuote("/a b/$(x)"), "'/a b/$(x)'");
    assert.equal(shellQuote("it's"), `'it'\\''s'`);
  });
});

describe("ageText", () => {
  it("is short and rounds down", () => {
    assert.deepEqual([-5, 0, 8400, 119_000, 150_000, 7_300_000, 200_000_000].map(ageText), [
      "0 s",
      "0 s",
      "8 s",
      "119 s",
      "2 min",
      "2 h",
      "2 d",
    ]);
  });
});
