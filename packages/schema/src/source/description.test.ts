import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { enumValues, shorten } from "./description.ts";

describe("shorten", () => {
  it("keeps the first sentence", () => {
    const { text } = shorten(
      "Specifies the limit for the number of retries within an index before it is marked as failed. It is immutable.",
    );

    assert.equal(text, "Specifies the limit for the number of retries within an index before it is marked as failed.");
  });

  it("adds the second sentence when the first is terse", () => {
    assert.equal(
      shorten("Protocol for port. Must be UDP or TCP. More.").text,
      "Protocol for port. Must be UDP or TCP.",
    );
  });

  it("does not add a second sentence that only announces a list", () => {
    assert.equal(shorten("How to treat it. Valid values are:\n\n- one\n- two").text, "How to treat it.");
  });

  it("does not end at an abbreviation", () => {
    const text =
      "Names such as a path (e.g. The one in the URL), i.e. What is served, and so on and so forth, until the end.";

    assert.equal(shorten(text).text, text);
  });

  it("drops links, further paragraphs and enum values", () => {
    const text = 'Where to look. More info: https://example.com\n\nPossible enum values:\n - `"A"` is first.';

    assert.equal(shorten(text).text, "Where to look.");
  });

  it("truncates long text at a word boundary", () => {
    const { text } = shorten("word ".repeat(200));

    assert.ok(text.length <= 325);
    assert.match(text, /word …$/);
  });

  it("returns the deprecation notice of the type or field", () => {
    assert.deepEqual(shorten("The old name. Deprecated: Use the new name instead."), {
      text: "The old name.",
      deprecated: "Use the new name instead.",
    });
  });

  it("ignores deprecations of something else", () => {
    assert.equal(shorten("deprecated indicates whether this version is old.").deprecated, undefined);
    assert.equal(
      shorten('The phase.\n\nPossible enum values:\n - `"X"` is Deprecated: never set.').deprecated,
      undefined,
    );
  });

  it("returns an empty text without a description", () => {
    assert.deepEqual(shorten(undefined), { text: "", deprecated: undefined });
  });
});

describe("enumValues", () => {
  it("reads the description of each value", () => {
    const description = 'Type.\n\nPossible enum values:\n - `"A"` means first. Really.\n - `""` means none.\n - `"C"`';

    assert.deepEqual(
      [...enumValues(description)],
      [
        ["A", "means first."],
        ["", "means none."],
        ["C", ""],
      ],
    );
  });
});
