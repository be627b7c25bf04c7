// Programs of client-go and controller-runtime see the same of both clusters.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "../harness/cluster.ts";
import { buildGo, whyNo } from "./builds.ts";
import { unservedGroups } from "./plain-text.ts";
import { runProgram } from "./program.ts";
import { embedded, real, type Subject } from "./subjects.ts";

const skip = (await reasonToSkip({ need: "control-plane" })) ?? (await whyNo("go", ["version"])) ?? false;

describe("clients written in Go", { skip }, () => {
  let subjects: readonly Subject[] = [];

  before(async () => {
    subjects = await Promise.all([embedded({ nodes: [] }), real()]);
  });
  after(async () => {
    for (const subject of subjects) await subject[Symbol.asyncDispose]();
  });

  for (const { name, what } of [
    { name: "typed", what: "typed clients, informers, elections and apply of client-go" },
    { name: "operator", what: "an operator of controller-runtime" },
  ]) {
    it(`${what}: the same transcript from both`, async () => {
      const program = await buildGo(name);
      const run = async ({ kubeconfig, name: subject }: Subject): Promise<string[]> => {
        const { code, stdout, stderr } = await runProgram(program, [], { env: { KUBECONFIG: kubeconfig } });
        assert.equal(code, 0, `on the ${subject} cluster: ${stderr}\n${stdout.slice(-2000)}`);
        return stdout
          .trimEnd()
          .split("\n")
          .filter((line) => !unservedGroups.test(line));
      };

      const [ours, theirs] = await Promise.all(subjects.map(run));

      assert.equal(ours?.at(-1), "== done");
      assert.deepEqual(ours, theirs);
    });
  }
});
