import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { formatApiVersion } from "@homeostat/core";
import { toYaml } from "@homeostat/schema";
import { cases } from "../testing/build-cases.ts";
import { namespace } from "./namespace.ts";
import { desiredChildren } from "./desired-children.ts";

const folder = new URL("../../golden/", import.meta.url);

describe("golden objects", () => {
  for (const [name, [resolved, decisions]] of Object.entries(cases)) {
    it(name, () => {
      const children = desiredChildren(resolved, decisions);
      const objects = [
        toYaml(namespace(resolved)),
        ...children.map(
          ({ step, component, title, type, object }) =>
            `# ${step} · ${component} · ${title}\n${toYaml({ apiVersion: formatApiVersion(type), kind: type.kind, ...object })}`,
        ),
      ].join("---\n");

      assertGolden(folder, name, objects);
    });
  }

  it("have a case each", () => assertNoOtherGolden(folder, ["crd", ...Object.keys(cases)]));
});
