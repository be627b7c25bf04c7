import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entryPath, forbiddenField, formatProblems, invalidField, requiredField } from "./field-problems.ts";

describe("field problems", () => {
  it("have messages like those of the API server", () => {
    const problems = [
      invalidField("spec.size", "1 GB", "must be a quantity"),
      requiredField("spec.name", "set the name of the object"),
      forbiddenField("spec.to", "only in egress rules"),
    ];

    assert.equal(formatProblems(problems.slice(0, 1)), 'spec.size: Invalid value: "1 GB": must be a quantity');
    assert.equal(
      formatProblems(problems),
      '[spec.size: Invalid value: "1 GB": must be a quantity, spec.name: Required value: set the name of the object, spec.to: Forbidden: only in egress rules]',
    );
    assert.equal(formatProblems([]), "");
  });

  it("keep the value but truncate it in the message", () => {
    const text = invalidField("a", "x".repeat(1000), "no");
    const list = invalidField("a", ["x".repeat(1000)], "no");

    assert.equal(text.value, "x".repeat(1000));
    assert.match(text.message, /^Invalid value: "x+…?": no$/u);
    assert.ok(text.message.length < 300 && list.message.length < 300);
  });

  it("print nothing that a terminal could interpret", () => {
    const { message } = invalidField("a", "\u001b[31m\u202e\u0000\n", "no");

    assert.doesNotMatch(message + entryPath("a", "\u001b[0m"), /[\p{Cc}\p{Cf}]/u);
  });

  it("quote unusual keys of maps in paths", () => {
    assert.equal(entryPath("spec.config", "max-memory"), "spec.config[max-memory]");
    assert.equal(entryPath("spec.labels", "a b"), 'spec.labels["a b"]');
  });
});
