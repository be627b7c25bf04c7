import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiReport, reportedPackages, reportFolder } from "./api-report.ts";
import { listFiles, readText } from "./tree.ts";

describe("the public names", () => {
  for (const name of reportedPackages()) {
    it(`of ${name} are those of ${reportFolder}/${name}.txt`, () => {
      const path = `${reportFolder}/${name}.txt`;

      const recorded = listFiles().includes(path) ? readText(path) : "";

      assert.equal(
        apiReport(name),
        recorded,
        "run `npm run docs` and look at the difference: it is what users will see",
      );
    });
  }
});
