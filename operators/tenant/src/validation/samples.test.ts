import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatProblem } from "@homeostat/schema";
import { sample, samples, sampleText } from "../samples.fixture.test.ts";
import { defaultSettings } from "../testing/settings.fixture.test.ts";
import { judge } from "./validate.ts";

/** What a sample says that it is refused for: the indented lines of its comment. */
function promised(name: string): string[] {
  return sampleText(name)
    .split("\n")
    .filter((line) => line.startsWith("#   "))
    .map((line) => line.slice(4));
}

describe("the samples", () => {
  it("are the documented ones", () => {
    assert.deepEqual(samples.toSorted(), [
      "asleep",
      "basic",
      "full",
      "invalid-network",
      "invalid-redis",
      "invalid-security",
    ]);
  });

  for (const name of samples) {
    const what = name.startsWith("invalid") ? "is refused in the words that it gives" : "is allowed";
    it(`${name} ${what}`, () => {
      const { problems } = judge(sample(name), { settings: defaultSettings });

      assert.deepEqual(problems.map(formatProblem), promised(name));
      assert.equal(problems.length > 0, name.startsWith("invalid"));
    });
  }
});
