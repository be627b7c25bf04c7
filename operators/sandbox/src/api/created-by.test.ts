import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { creatorOf, formatCreator } from "./created-by.ts";
import { annotations } from "./identity.ts";

const annotated = (text: string) => ({ metadata: { annotations: { [annotations.createdBy]: text } } });

describe("the recorded creator", () => {
  it("is read as it was written", () => {
    const creator = { user: "jane@example.com", groups: ["devs", "system:authenticated"] };

    assert.deepEqual(creatorOf(annotated(formatCreator(creator))), creator);
  });

  it("is unknown without the annotation, and if it is malformed", () => {
    const texts = [
      "",
      "jane",
      "null",
      "[]",
      "{}",
      '{"user":""}',
      '{"user":1,"groups":[]}',
      '{"user":"a","groups":"b"}',
    ];

    assert.equal(creatorOf({ metadata: {} }), undefined);
    for (const text of texts) assert.equal(creatorOf(annotated(text)), undefined, text);
    assert.deepEqual(creatorOf(annotated('{"user":"a","groups":["b",1]}')), { user: "a", groups: ["b"] });
  });

  it("has a limited number of groups", () => {
    const groups = Array.from({ length: 600 }, (_, index) => `g${index}`);

    assert.equal(creatorOf(annotated(formatCreator({ user: "a", groups })))?.groups.length, 500);
  });
});
