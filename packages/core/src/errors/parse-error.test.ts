import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParseError } from "./parse-error.ts";

describe("ParseError", () => {
  it("names what was parsed, the text, the problem and the position", () => {
    const error = new ParseError({ what: "quantity", input: "1.5x", offset: 3, problem: "unknown suffix" });

    assert.equal(error.message, 'quantity "1.5x": unknown suffix (at position 3)');
    assert.equal(error.name, "ParseError");
    assert.equal(error.code, "PARSE");
    assert.equal(error.retryable, false);
  });

  it("quotes only the part of a long text around the position", () => {
    const input = `${"a".repeat(500)}!${"b".repeat(500)}`;

    const { message } = new ParseError({ what: "label selector", input, offset: 500, problem: "unexpected character" });

    assert.ok(message.includes("a!b"), message);
    assert.ok(message.length < 200, message);
  });
});
