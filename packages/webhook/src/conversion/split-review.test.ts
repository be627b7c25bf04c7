import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReviewError, ReviewTooLargeError } from "../errors.ts";
import { runAtOnce } from "../work/slices.ts";
import { type SplitReview, splitReview } from "./split-review.ts";

const limits = { objectsMax: 1000, objectBytesMax: 1000 };

function split(text: string): SplitReview {
  return runAtOnce(splitReview(Buffer.from(text), limits));
}

function objectsOf(text: string): unknown[] | undefined {
  return split(text).objects?.map((bytes) => JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown);
}

describe("splitReview", () => {
  it("splits the list into its elements, wherever it is in the review", () => {
    const objects = [
      { a: ["x", { b: '],}{["\\' }] },
      [],
      'ü,"',
      1,
      null,
      { objects: [1, 2], request: { objects: [3] } },
    ];
    const reviews = [
      { request: { objects } },
      {
        other: [1, { request: { objects: [9] } }],
        request: { uid: "objects", deep: { objects: [7] }, objects, last: {} },
        z: 1,
      },
    ];

    for (const review of reviews) {
      for (const text of [JSON.stringify(review), JSON.stringify(review, undefined, "\t ")]) {
        assert.deepEqual(objectsOf(text), objects);
        const { envelope } = split(text);
        assert.deepEqual(JSON.parse(Buffer.from(envelope).toString("utf8")), {
          ...review,
          request: { ...review.request, objects: [] },
        });
      }
    }
  });

  it("returns no list if the review has none", () => {
    for (const text of ["", "{}", '{"objects":[1]}', '{"request":{"objects":{}}}', '[{"request":{"objects":[1]}}]']) {
      assert.equal(split(text).objects, undefined, text);
    }
    assert.deepEqual(objectsOf('{"request":{"objects":[ \n ]}}'), []);
  });

  it("refuses too many objects, too large ones and a too large envelope", () => {
    const list = (element: string, count: number): string =>
      `{"request":{"objects":[${Array.from({ length: count }, () => element).join(",")}]}}`;

    assert.equal(objectsOf(list("{}", 1000))?.length, 1000);
    assert.throws(() => split(list("{}", 1001)), ReviewTooLargeError);
    assert.throws(() => split(list(`"${"x".repeat(1000)}"`, 1)), ReviewTooLargeError);
    assert.throws(() => split(list(" ".repeat(1001), 1)), ReviewTooLargeError);
    assert.throws(() => split(`${" ".repeat(65 * 1024)}${list("{}", 1)}`), ReviewTooLargeError);
    assert.throws(() => split(`${list("{}", 1)}${" ".repeat(65 * 1024)}`), ReviewTooLargeError);
    assert.throws(() => split('{"request":{"objects":[],"objects":[]}}'), ReviewError);
  });

  it("stops at once when the envelope is too large", () => {
    const steps = splitReview(Buffer.from(`{"a":"${"x".repeat(8 * 1024 * 1024)}"}`), limits);

    assert.throws(() => steps.next(), ReviewTooLargeError);
  });
});
