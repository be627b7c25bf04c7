import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import { forkCases, forkInput } from "../testing/fork-cases.ts";
import { deriveFork } from "./derive-fork.ts";
import { isRefusal } from "./refusal.ts";

const folder = new URL("../../golden/forks/", import.meta.url);

describe("golden forks", () => {
  for (const [name, each] of Object.entries(forkCases)) {
    it(`of the baseline ${name} are derived`, () => {
      const fork = deriveFork(forkInput(each));

      assert.ok(!isRefusal(fork), JSON.stringify(fork));
      const { deployment, services, notes, blockingClaims } = fork;
      const remarks = toYaml({ missingPorts: services.missingPorts, notes, blockingClaims });
      const objects = [deployment, ...services.services.map(({ service }) => service)];
      assertGolden(folder, name, [...objects.map((object) => toYaml(object)), remarks].join("---\n"));
    });
  }

  it("have a case each", () => assertNoOtherGolden(folder, Object.keys(forkCases)));
});
