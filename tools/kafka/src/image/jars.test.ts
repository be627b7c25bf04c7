import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { jarFile, jarProblems, mavenProject, readJars } from "./jars.ts";

describe("the jars of the image", () => {
  const jars = readJars(readFileSync(new URL("../../image/jars.json", import.meta.url), "utf8"));

  it("are pinned by version and checksum", () => {
    assert.ok(jars.some((jar) => jarFile(jar) === "kafka_2.13-4.3.1.jar"));
    for (const jar of jars)
      assert.match(`${jar.group} ${jarFile(jar)} ${jar.sha256}`, /^[\w.-]+ \S+\.jar [0-9a-f]{64}$/);
    assert.equal(mavenProject(jars).match(/<dependency>/g)?.length, jars.length);
    assert.equal(mavenProject(jars).match(/<artifactId>\*</g)?.length, jars.length, "no further dependencies");
  });

  it("are rejected if one is missing, unexpected or changed", () => {
    const content = Buffer.from("jar");
    const sha256 = createHash("sha256").update(content).digest("hex");
    const jar = { group: "g", artifact: "a", version: "1", sha256 };

    assert.deepEqual(jarProblems([jar], new Map([["a-1.jar", content]])), []);
    assert.deepEqual(jarProblems([jar], new Map([["b.jar", content]])), [
      "b.jar is not expected",
      "a-1.jar is missing",
    ]);
    assert.match(jarProblems([jar], new Map([["a-1.jar", Buffer.from("other")]])).join(), /^a-1\.jar has the checksum/);
  });
});
