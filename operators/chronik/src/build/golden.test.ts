import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { formatApiVersion } from "@homeostat/core";
import { toYaml } from "@homeostat/schema";
import { cases } from "../testing/build-cases.ts";
import { desiredObjects } from "./desired-objects.ts";

const folder = new URL("../../golden/", import.meta.url);

describe("golden objects", () => {
  for (const [name, [resolved, decisions]] of Object.entries(cases)) {
    it(`of the cluster ${name} are built`, () => {
      const objects = desiredObjects(resolved, decisions).map(
        ({ step, component, type, object, mode }) =>
          `# ${step} · ${component} · ${mode}\n${toYaml({ apiVersion: formatApiVersion(type), kind: type.kind, ...object })}`,
      );

      assertGolden(folder, name, objects.join("---\n"));
    });
  }

  it("have a case each", () => assertNoOtherGolden(folder, ["crd", "crd-node-group", ...Object.keys(cases)]));
});
