// The same scenarios under Kubernetes' own controllers and under this project's: what can be seen afterwards must be the same.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "../harness/cluster.ts";
import { namespaces } from "./namespaces.ts";
import { ownership } from "./ownership.ts";
import { budgets } from "./budgets.ts";
import { volumes } from "./volumes.ts";
import { services } from "./services.ts";
import { perform, type Scenario } from "./scenario.ts";
import { homeostat, kubernetes, type Subject } from "./subject.ts";

const scenarios: Readonly<Record<string, Scenario>> = {
  ...ownership,
  ...namespaces,
  ...services,
  ...volumes,
  ...budgets,
};

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("the cluster's own controllers", { skip }, () => {
  const subjects: Subject[] = [];
  const seen: Map<string, unknown>[] = [];

  before(
    async () => {
      subjects.push(...(await Promise.all([kubernetes(), homeostat()])));
      const chosen = Object.fromEntries(
        Object.entries(scenarios).filter(([name]) => name.includes(process.env["HOMEOSTAT_SCENARIO"] ?? "")),
      );
      seen.push(...(await Promise.all(subjects.map((subject) => perform(chosen, subject)))));
    },
    { timeout: 300_000 },
  );

  after(async () => {
    await Promise.all(subjects.map((subject) => subject[Symbol.asyncDispose]()));
  });

  for (const name of Object.keys(scenarios)) {
    if (!name.includes(process.env["HOMEOSTAT_SCENARIO"] ?? "")) continue;
    it(name, () => {
      const [theirs, ours] = seen.map((results) => results.get(name));

      assert.deepEqual(ours, theirs);
      assert.ok(!JSON.stringify(theirs).includes('"failed"'), JSON.stringify(theirs));
    });
  }
});
