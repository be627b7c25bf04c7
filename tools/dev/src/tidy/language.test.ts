import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { phraseBreaches } from "./language.ts";
import { lineAt, readFiles } from "./tree.ts";

/** Generated files, and the rule itself. */
const exempt = /\/generated\/|^docs\/reference\/api\/|^CHANGELOG\.md$|^tools\/dev\/src\/tidy\/language|\/vectors?\//;
const checked = /\.(?:tsx?|md|ya?ml|go|py|mjs)$/;

describe("comments, messages and pages", () => {
  it("avoid phrases that hide who does what", () => {
    const found = readFiles((path) => checked.test(path) && !exempt.test(path)).flatMap(({ path, text }) =>
      phraseBreaches(text).map(
        ({ index, phrase, instead }) => `${path}:${lineAt(text, index)} has "${phrase}"; ${instead}`,
      ),
    );

    assert.deepEqual(found, []);
  });
});

describe("the rule itself", () => {
  it("finds phrases in comments and strings, and allows quoted names", () => {
    const text = [
      "/** Whether it is ready. */",
      "/**\n * How it works.\n */",
      "// somebody changed it",
      'log.info("Nobody is told");',
      'user: "nobody"',
      "/** Reports whether it is ready. */",
    ].join("\n");

    assert.deepEqual(
      phraseBreaches(text).map(({ phrase }) => phrase),
      ["somebody", "Nobody", "is told", "Whether", "How"],
    );
  });
});
