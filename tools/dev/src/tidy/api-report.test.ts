import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiReport, reportedPackages, reportFolder } from "./api-report.ts";
import { listFiles, readText } from "./tree.ts";

describe("the public names", () => {
  for (const name of reportedPackages()) {
    it(`of ${name} match ${reportFolder}/${name}.txt`, () => {
      const path = `${reportFolder}/${name}.txt`;

      const recorded = listFiles().includes(path) ? readText(path) : "";

      assert.equal(
        apiReport(name),
        recorded,
        "run `npm run docs` and review the diff: it shows what changes for users",
      );
    });
  }
});
