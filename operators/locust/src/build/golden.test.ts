import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import { cases } from "../testing/build-cases.ts";
import { masterJob, workerJob } from "./jobs.ts";
import type { BuildInput } from "./objects.ts";
import { masterService, webUiService } from "./services.ts";

const folder = new URL("../../golden/", import.meta.url);

/** Returns all objects of a test in the order of creation. */
function objectsOf(plan: BuildInput): string {
  return [masterService(plan), webUiService(plan), masterJob(plan), workerJob(plan)]
    .filter((object) => object !== undefined)
    .map((object) => toYaml(object))
    .join("---\n");
}

describe("golden objects", () => {
  for (const [name, plan] of Object.entries(cases)) {
    it(name, () => assertGolden(folder, name, objectsOf(plan)));
  }

  it("have a case each", () => assertNoOtherGolden(folder, Object.keys(cases)));
});
