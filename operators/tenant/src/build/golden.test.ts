import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { toYaml } from "@homeostat/schema";
import { cases } from "./cases.fixture.test.ts";
import { namespace } from "./namespace.ts";
import { desiredChildren } from "./desired-children.ts";

const folder = new URL("../../golden/", import.meta.url);

describe("golden objects", () => {
  for (const [name, [resolved, decisions]] of Object.entries(cases)) {
    it(name, () => {
      const file = fileURLToPath(new URL(`${name}.txt`, folder));
      const parts = desiredChildren(resolved, decisions);
      const found = [
        toYaml(namespace(resolved)),
        ...parts.map(({ step, component, title, object }) => `# ${step} · ${component} · ${title}\n${toYaml(object)}`),
      ].join("---\n");
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, found);

      assert.equal(found, readFileSync(file, "utf8"));
    });
  }
});
