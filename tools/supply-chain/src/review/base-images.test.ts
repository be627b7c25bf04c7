import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { readText, root } from "../repository.ts";
import { baseImages } from "./base-images.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("the review of base images", () => {
  it("accepts images with a digest and stages of the same file", () => {
    const { images, problems } = baseImages(`FROM node:24@${digest} AS build\nRUN true\nFROM build\n`);

    assert.deepEqual(images, [{ image: "node:24", digest }]);
    assert.deepEqual(problems, []);
  });

  for (const image of ["node", "node:24", "node:24@sha256:abc", "${BASE}"]) {
    it(`rejects ${image}`, () => {
      assert.equal(baseImages(`FROM ${image}`).problems.length, 1);
    });
  }

  it("finds no problem in the Dockerfiles of the repository", () => {
    const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
    const dockerfiles = files.filter((path) => /(?:^|\/)(?:Dockerfile[^/]*|[^/]*\.Dockerfile)$/.test(path));

    const problems = dockerfiles.flatMap((path) => baseImages(readText(path)).problems);

    assert.ok(dockerfiles.includes("operators/Dockerfile"));
    assert.deepEqual(problems, []);
  });
});
