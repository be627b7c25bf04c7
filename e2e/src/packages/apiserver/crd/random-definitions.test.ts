// Randomly changed CRDs on a real server and on ours.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sampleResources } from "@homeostat/schema/testing";
import { post } from "../cases/case.ts";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { Dice } from "../kinds/dice.ts";
import { withChangedValues, withoutSomeFields } from "../kinds/mutate.ts";
import { volume } from "../../../harness/volume.ts";
import { differences } from "./compare.ts";
import { definitionCases } from "./definitions.ts";
import { type Servers, startServers } from "./servers.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? 1);
const count = volume({ sample: 60, full: 150 }, "HOMEOSTAT_ROUNDS");
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Ignore";

/** Known differences with their reasons. */
const named: readonly RegExp[] = [
  // The real server returns an empty map of properties; the embedded one omits it.
  /Properties\\+":\{\}/,
  // The real server reports a rule below a node of an invalid type twice.
  /unable to convert structural schema to CEL declarations/,
];

describe("randomly changed CRDs, compared with a real server", { skip }, () => {
  let servers: Servers;

  before(async () => {
    servers = await startServers();
  });

  after(() => servers.close());

  it(`get the same response (${count} of them)`, async () => {
    const dice = new Dice(seed);
    const found: string[] = [];
    const whole = [
      ...sampleResources.map((resource) => ({ ...resource.crd() })),
      ...definitionCases.map(({ body }) => body),
    ];

    for (let n = 0; n < count; n += 1) {
      const original = JSON.parse(JSON.stringify(dice.pick(whole))) as Record<string, unknown>;
      const body = dice.chance(0.3)
        ? withoutSomeFields(original, dice, dice.pick([0.01, 0.05, 0.2]))
        : withChangedValues(original, dice, 1 + dice.below(3));
      const each = { name: `number ${n}`, steps: [post(path, body)] };
      // The real server panics on selectable fields without a schema.
      const compared = differences(servers, each).catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "ECONNRESET") return [];
        throw error;
      });
      found.push(...(await compared).filter((text) => !named.some((pattern) => pattern.test(text))));
    }

    assert.equal(found.length, 0, `${found.length} differ\n${found.slice(0, 6).join("\n\n")}`);
  });
});
