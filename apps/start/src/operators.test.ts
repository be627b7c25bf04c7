import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chronikOperator } from "@homeostat/chronik-operator";
import { releaseVersion } from "@homeostat/core";
import { locustOperator, readSettings } from "@homeostat/locust-operator";
import { sandboxOperator } from "@homeostat/sandbox-operator";
import { tenantOperator } from "@homeostat/tenant-operator";

describe("the operators", () => {
  const operators = [chronikOperator(), locustOperator(readSettings({})), sandboxOperator(), tenantOperator()];

  for (const operator of operators)
    it(`have the version of the release: ${operator.name}`, () => {
      const all = [operator, ...operator.companions];

      assert.deepEqual(
        all.map(({ version, image }) => [version, image.split(":").at(-1)]),
        all.map(() => [releaseVersion, releaseVersion]),
      );
    });
});
