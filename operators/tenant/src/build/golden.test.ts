import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import { cases } from "./cases.fixture.test.ts";
import { namespace } from "./namespace.ts";
import { partsOf } from "./parts.ts";

const folder = new URL("../../golden/", import.meta.url);

describe("golden objects", () => {
  for (const [name, [wanted, situation]] of Object.entries(cases)) {
    it(name, () => {
      const parts = partsOf(wanted, situation);
      const objects = [
        toYaml(namespace(wanted)),
        ...parts.map(({ step, component, what, object }) => `# ${step} · ${component} · ${what}\n${toYaml(object)}`),
      ].join("---\n");

      assertGolden(folder, name, objects);
    });
  }

  it("are no more than there are cases", () => assertNoOtherGolden(folder, ["crd", ...Object.keys(cases)]));
});
