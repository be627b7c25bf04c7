import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import { cases } from "./cases.fixture.test.ts";
import { masterJob, workerJob } from "./jobs.ts";
import type { Plan } from "./objects.ts";
import { masterService, webUiService } from "./service.ts";

const folder = new URL("../../golden/", import.meta.url);

/** Everything that is made for a test, in the order in which it is made. */
function objectsOf(plan: Plan): string {
  return [masterService(plan), webUiService(plan), masterJob(plan), workerJob(plan)]
    .filter((object) => object !== undefined)
    .map((object) => toYaml(object))
    .join("---\n");
}

describe("C: golden objects", () => {
  for (const [name, plan] of Object.entries(cases)) {
    it(`C: ${name}`, () => assertGolden(folder, name, objectsOf(plan)));
  }

  it("C: are no more than there are cases", () => assertNoOtherGolden(folder, Object.keys(cases)));
});
