// What kubectl prints on both clusters.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { kubectl } from "@homeostat/kube";
import { reasonToSkip } from "../harness/cluster.ts";
import { steps } from "./kubectl-script.ts";
import { plainText } from "./plain-text.ts";
import { runProgram } from "./program.ts";
import { embedded, real, type Subject } from "./subjects.ts";

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("kubectl", { skip }, () => {
  let subjects: readonly Subject[] = [];
  let printed: readonly (readonly string[])[] = [];

  before(async () => {
    const command = await kubectl();
    subjects = await Promise.all([embedded({ nodes: [] }), real()]);
    printed = await Promise.all(subjects.map((subject) => play(command, subject)));
  });
  after(async () => {
    for (const subject of subjects) await subject[Symbol.asyncDispose]();
  });

  for (const [index, { words }] of steps.entries()) {
    it(`${index + 1}. ${words}`, () => {
      const [ours, theirs] = printed;

      assert.equal(ours?.[index], theirs?.[index]);
    });
  }
});

/** Plays the script and returns what each command printed, and its exit code. */
async function play(command: string, { kubeconfig }: Subject): Promise<string[]> {
  const env = { KUBECONFIG: kubeconfig };
  await runProgram(command, ["create", "namespace", "script"], { env });
  await runProgram(command, ["-n", "script", "wait", "--for=create", "serviceaccount/default", "--timeout=30s"], {
    env,
  });
  const printed: string[] = [];
  for (const { words, input } of steps) {
    const result = await runProgram(command, ["-n", "script", ...words.split(" ")], {
      env,
      ...(input === undefined ? {} : { input }),
    });
    printed.push(plainText(`${result.stdout}${result.stderr}exit ${result.code}`));
  }
  return printed;
}
