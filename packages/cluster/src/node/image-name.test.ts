import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propertyRuns } from "@homeostat/fuzz";
import fc from "fast-check";
import { isSlow } from "@homeostat/fuzz/is-slow";
import { fullImageName, imageBaseName, imageId, readImageName } from "./image-name.ts";

describe("image names", () => {
  const cases: readonly [text: string, full: string, base: string][] = [
    ["redis", "docker.io/library/redis:latest", "redis"],
    ["redis:7", "docker.io/library/redis:7", "redis"],
    ["locustio/locust:2.47.0", "docker.io/locustio/locust:2.47.0", "locust"],
    ["localhost/x/y", "localhost/x/y:latest", "y"],
    ["registry:5000/team/app:1.2", "registry:5000/team/app:1.2", "app"],
    [`app@sha256:${"a".repeat(64)}`, `docker.io/library/app@sha256:${"a".repeat(64)}`, "app"],
  ];
  for (const [text, full, base] of cases) {
    it(`parses ${text.slice(0, 40)}`, () => {
      assert.equal(fullImageName(text), full);
      assert.equal(imageBaseName(text), base);
      assert.match(imageId(text), /@sha256:[0-9a-f]{64}$/);
    });
  }

  it("reports errors in the wording of container tools", () => {
    assert.deepEqual(readImageName("UPPER:CASE"), {
      problem: "invalid reference format: repository name (library/UPPER) must be lowercase",
    });
    assert.deepEqual(readImageName("a b"), { problem: "invalid reference format" });
    assert.deepEqual(readImageName(""), { problem: "invalid reference format" });
    assert.deepEqual(readImageName("x@sha256:12"), { problem: "invalid reference format" });
  });

  it("parses any text quickly", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[a-z0-9.:/@_-]{0,300}$/)), (text) => {
        const name = readImageName(text);
        assert.ok("problem" in name || name.repository.includes("/"));
      }),
      { numRuns: propertyRuns(20_000) },
    );
    assert.ok(!isSlow(() => readImageName(`${"a-".repeat(50_000)}!`)));
  });
});
