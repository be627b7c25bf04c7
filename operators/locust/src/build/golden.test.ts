import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { toYaml } from "@homeostat/schema";
import { cases } from "./cases.fixture.test.ts";
import { masterJob, workerJob } from "./jobs.ts";
import type { BuildInput } from "./objects.ts";
import { masterService, webUiService } from "./services.ts";

const folder = new URL("../../golden/", import.meta.url);

/** Everything that is made for a test, in the order in which it is made. */
function objectsOf(plan: BuildInput): string {
  return [masterService(plan), webUiService(plan), masterJob(plan), workerJob(plan)]
    .filter((object) => object !== undefined)
    .map((object) => toYaml(object))
    .join("---\n");
}

describe("golden objects", () => {
  for (const [name, plan] of Object.entries(cases)) {
    it(name, () => {
      const file = fileURLToPath(new URL(`${name}.txt`, folder));
      const found = objectsOf(plan);
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, found);

      assert.equal(found, readFileSync(file, "utf8"));
    });
  }
});
