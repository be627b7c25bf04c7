// Runs the same scenarios with the controllers of Kubernetes and with ours: the observable results must be equal.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { autoscalers } from "./autoscalers.ts";
import { budgets } from "./budgets.ts";
import { namespaces } from "./namespaces.ts";
import { ownership } from "./ownership.ts";
import { perform, type Scenario } from "./scenario.ts";
import { services } from "./services.ts";
import { controllersAlone, embedded, kubernetes, type Subject } from "./subject.ts";
import { volumes } from "./volumes.ts";

/** Part of a scenario name, to run only matching scenarios. */
const part = process.env["HOMEOSTAT_SCENARIO"] ?? "";
const all: Readonly<Record<string, Scenario>> = {
  ...ownership,
  ...namespaces,
  ...services,
  ...volumes,
  ...budgets,
  ...autoscalers,
};
const scenarios = Object.fromEntries(Object.entries(all).filter(([name]) => name.includes(part)));

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("the embedded cluster controllers", { skip }, () => {
  let seen: readonly Map<string, unknown>[] = [];

  before(
    async () => {
      const play = async (start: () => Promise<Subject>): Promise<Map<string, unknown>> => {
        await using subject = await start();
        return await perform(scenarios, subject);
      };
      // The embedded server runs in this process, so it is measured alone.
      seen = [...(await Promise.all([play(kubernetes), play(controllersAlone)])), await play(embedded)];
    },
    { timeout: 600_000 },
  );

  for (const name of Object.keys(scenarios)) {
    it(name, () => {
      const [theirs, alone, whole] = seen.map((results) => results.get(name));

      assert.ok(!JSON.stringify(theirs).startsWith('{"failed"'), JSON.stringify(theirs));
      assert.deepEqual(alone, theirs, "our controllers on a real API server");
      assert.deepEqual(whole, theirs, "our controllers on the embedded API server");
    });
  }
});
