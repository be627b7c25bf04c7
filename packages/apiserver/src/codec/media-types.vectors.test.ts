import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { negotiateAccept, negotiateContentType, resourceOffer } from "./media-types.ts";

interface AcceptCase {
  accept: string;
  custom?: true;
  mediaType?: string;
  stream?: string;
  as?: string;
  pretty?: true;
}

const vectors = JSON.parse(readFileSync(new URL("../../vectors/media-types.json", import.meta.url), "utf8")) as {
  accepts: AcceptCase[];
  contents: { contentType: string; mediaType?: string }[];
};

describe("media type negotiation compared with the real server", () => {
  it("selects the same format for every Accept header", () => {
    const wrong = vectors.accepts.filter((each) => {
      const found = negotiateAccept(each.accept, resourceOffer({ isCustom: each.custom ?? false }));
      const as = found?.as === undefined ? undefined : describeTransform(found.as);
      return (
        found?.mediaType !== each.mediaType ||
        (found?.stream ?? "") !== (each.stream ?? "") ||
        as !== each.as ||
        (found?.isPretty ?? false) !== (each.pretty ?? false)
      );
    });

    assert.ok(vectors.accepts.length > 600);
    assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length}`);
  });

  it("parses every Content-Type header the same way", () => {
    const wrong = vectors.contents.filter((each) => negotiateContentType(each.contentType) !== each.mediaType);

    assert.deepEqual(wrong, []);
  });
});

function describeTransform({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group === "" ? "" : `${group}/`}${version} ${kind}`;
}
