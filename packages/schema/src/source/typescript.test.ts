import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { docComment, indent, key, ownComment, union } from "./typescript.ts";

describe("docComment", () => {
  it("fits on one line when it can, and else wraps within 120 columns", () => {
    const long = docComment({ text: "some words ".repeat(30).trim(), deprecated: undefined }, "  ");

    assert.equal(docComment({ text: "Short.", deprecated: undefined }, "  "), "  /** Short. */\n");
    assert.match(long, /^ {2}\/\*\*\n( {3}\* .*\n)+ {3}\*\/\n$/);
    assert.ok(long.split("\n").every((line) => line.length <= 120));
  });

  it("cannot be ended or given tags by the text", () => {
    const comment = docComment({ text: "runs */5 * * * * or @daily", deprecated: undefined });

    assert.equal(comment.match(/\*\//g)?.length, 1);
    assert.doesNotMatch(comment, / @/);
  });

  it("marks what is deprecated", () => {
    assert.equal(
      docComment({ text: "Old.", deprecated: "Use new." }),
      "/**\n * Old.\n *\n * @deprecated Use new.\n */\n",
    );
  });

  it("is nothing when there is nothing to say", () => {
    assert.equal(docComment({ text: "", deprecated: undefined }), "");
  });
});

describe("ownComment", () => {
  it("sets a list below the text", () => {
    assert.equal(ownComment("Values.", { list: ["- a", "- b"] }), "/**\n * Values.\n *\n * - a\n * - b\n */\n");
  });
});

describe("key and union", () => {
  it("quote what is no identifier, and break a long union", () => {
    assert.equal(key("apiVersion"), "apiVersion");
    assert.equal(key("x-kubernetes-list-type"), '"x-kubernetes-list-type"');
    assert.equal(union(["a", "b"], "type T = "), '"a" | "b"');
    assert.match(
      union(
        Array.from({ length: 40 }, (_, i) => `value${i}`),
        "type T = ",
      ),
      /^\n {2}\| "value0"\n {2}\| "value1"/,
    );
  });
});

describe("indent", () => {
  it("indents by brackets outside of strings and comments", () => {
    const code = 'define({\nrule: "{[",\nspec: s.list(s.object({\na: 1, // }\n})).atomic(),\n});';

    assert.equal(
      indent(code),
      'define({\n  rule: "{[",\n  spec: s.list(s.object({\n    a: 1, // }\n  })).atomic(),\n});',
    );
  });
});
