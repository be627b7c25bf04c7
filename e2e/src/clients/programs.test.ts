// Programs that use client-go, controller-runtime, @kubernetes/client-node and kube-rs print the same transcript on both clusters.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { whyNoTool } from "@homeostat/kube";
import { reasonToSkip } from "../harness/cluster.ts";
import { buildGo, buildRust, installClientNode } from "./builds.ts";
import { runProgram } from "./program.ts";
import { embedded, real, type Subject } from "./subjects.ts";

/** A program and its first arguments. */
type Command = readonly [program: string, ...words: string[]];

interface Program {
  readonly what: string;
  readonly skip: string | false;
  /** True if part of the program reads logs, which needs running pods. */
  readonly readsLogs?: boolean;
  readonly build: () => Promise<Command>;
}

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;
const noGo = (await whyNoTool("go", ["version"])) ?? false;
const noRust = (await whyNoTool("cargo", ["--version"])) ?? false;

/** Ordered: the last program leaves a CRD behind, which the others would discover. */
const programs: readonly Program[] = [
  {
    what: "typed and untyped clients, patches, apply, informers and logs of @kubernetes/client-node",
    skip: false,
    readsLogs: true,
    build: async () => [process.execPath, await installClientNode()],
  },
  {
    what: "typed and untyped clients, patches, apply, a derived kind, watchers, stores and logs of kube-rs",
    skip: noRust,
    readsLogs: true,
    build: async () => [await buildRust()],
  },
  {
    what: "typed clients, informers, elections and apply of client-go",
    skip: noGo,
    build: async () => [await buildGo("typed")],
  },
  { what: "an operator of controller-runtime", skip: noGo, build: async () => [await buildGo("operator")] },
];

describe("programs with other client libraries", { skip }, () => {
  let subjects: readonly Subject[] = [];

  before(async () => {
    subjects = await Promise.all([embedded({ nodes: [] }), real()]);
  });
  after(async () => {
    for (const subject of subjects) await subject[Symbol.asyncDispose]();
  });

  for (const { what, skip: reason, build } of programs) {
    it(`${what}: print the same transcript on both clusters`, { skip: reason }, async () => {
      const command = await build();

      const [ours, theirs] = await Promise.all(subjects.map((subject) => transcript(command, subject)));

      assert.equal(ours?.at(-1), "== done");
      assert.deepEqual(ours, theirs);
    });
  }
});

describe("programs with other client libraries on simulated pods", () => {
  for (const { what, skip: reason, build, readsLogs = false } of programs) {
    if (!readsLogs) continue;
    it(`${what}: read the logs of containers`, { skip: reason }, async () => {
      const [program, ...words] = await build();
      await using subject = await embedded();

      const lines = await transcript([program, ...words, "logs"], subject);

      assert.equal(lines.at(-1), "== done");
      assert.ok(lines.includes("succeeded true"));
      assert.match(lines.at(-3) ?? "", /^"two\\n"$/, "the last line of the log");
      assert.match(lines.at(-2) ?? "", /one.*two/, "the followed log");
    });
  }
});

/** Runs a program on a cluster and returns its output. Fails if the program fails. */
async function transcript([program, ...words]: Command, { kubeconfig, name }: Subject): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram(program, words, { env: { KUBECONFIG: kubeconfig } });
  assert.equal(code, 0, `on the ${name} cluster: ${stderr}\n${stdout.slice(-2000)}`);
  return stdout.trimEnd().split("\n");
}
