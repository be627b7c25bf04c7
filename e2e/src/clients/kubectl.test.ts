// Compares the output of kubectl on both clusters, with the release of the clusters and with one two minor versions older.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { kubectl, whyNoTool } from "@homeostat/kube";
import { reasonToSkip } from "../harness/cluster.ts";
import { buildOlderKubectl, olderKubectl } from "./builds.ts";
import { steps } from "./kubectl-script.ts";
import { plainText } from "./plain-text.ts";
import { runProgram } from "./program.ts";
import { embedded, real, type Subject } from "./subjects.ts";

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;
const noGo = (await whyNoTool("go", ["version"])) ?? false;

const releases = [
  { release: "of the clusters' release", namespace: "script", skip: false, find: () => kubectl() },
  { release: olderKubectl, namespace: "script-older", skip: noGo, find: buildOlderKubectl },
] as const;

describe("kubectl", { skip }, () => {
  let subjects: readonly Subject[] = [];

  before(async () => {
    subjects = await Promise.all([embedded({ nodes: [] }), real()]);
  });
  after(async () => {
    for (const subject of subjects) await subject[Symbol.asyncDispose]();
  });

  for (const { release, namespace, skip: reason, find } of releases) {
    describe(release, { skip: reason }, () => {
      let command = "";
      let printed: readonly (readonly string[])[] = [];

      before(async () => {
        command = await find();
        printed = await Promise.all(subjects.map((subject) => play(command, subject, namespace)));
      });

      for (const [index, { words }] of steps.entries()) {
        it(`${index + 1}. ${words}`, () => {
          const [ours, theirs] = printed;

          assert.equal(ours?.[index], theirs?.[index]);
        });
      }

      it("get -w", async () => {
        const [ours, theirs] = await Promise.all(subjects.map((subject) => watch(command, subject, namespace)));

        assert.equal(ours?.split("\n").length, 5);
        assert.equal(ours, theirs);
      });
    });
  }
});

describe("kubectl on simulated pods", () => {
  it("waits for a Job and prints its logs", { skip }, async () => {
    const command = await kubectl();
    await using subject = await embedded();
    const call = async (words: readonly string[]): Promise<string> => {
      const { stdout, stderr, code } = await runProgram(command, words, { env: { KUBECONFIG: subject.kubeconfig } });
      return `${stdout}${stderr}exit ${code}`;
    };
    await call(["create", "job", "talk", "--image=busybox:1", "--", "sh", "-c", "echo one; echo two"]);

    const waited = await call(["wait", "--for=condition=complete", "job/talk", "--timeout=60s"]);
    const logs = await call(["logs", "job/talk"]);
    const last = await call(["logs", "job/talk", "--tail=1", "--prefix=false"]);

    assert.equal(waited, "job.batch/talk condition met\nexit 0");
    assert.equal(logs, "one\ntwo\nexit 0");
    assert.equal(last, "two\nexit 0");
  });
});

/** Runs the script. Returns the output and exit code of each command. */
async function play(command: string, { kubeconfig }: Subject, namespace: string): Promise<string[]> {
  const env = { KUBECONFIG: kubeconfig };
  await runProgram(command, ["create", "namespace", namespace], { env });
  await runProgram(command, ["-n", namespace, "wait", "--for=create", "serviceaccount/default", "--timeout=60s"], {
    env,
  });
  const printed: string[] = [];
  for (const { words, input } of steps) {
    const result = await runProgram(command, ["-n", namespace, ...words.split(" ")], {
      env,
      ...(input === undefined ? {} : { input }),
    });
    printed.push(plainText(`${result.stdout}${result.stderr}exit ${result.code}`));
  }
  return printed;
}

/** Returns the output of `get -w` for a ConfigMap that exists, changes, is deleted and created again. */
async function watch(command: string, { kubeconfig }: Subject, namespace: string): Promise<string> {
  const env = { KUBECONFIG: kubeconfig };
  const call = (...words: string[]): Promise<unknown> => runProgram(command, ["-n", namespace, ...words], { env });
  await call("create", "configmap", "seen");
  const words = [
    "-n",
    namespace,
    "get",
    "configmaps",
    "-w",
    "--output-watch-events",
    "--field-selector=metadata.name=seen",
  ];
  const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  const seen = (lines: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (text.split("\n").length <= lines) return;
        clearTimeout(timer);
        child.stdout.off("data", look);
        resolve();
      };
      const timer = setTimeout(() => reject(new Error(`kubectl printed only: ${text}`)), 60_000);
      child.stdout.on("data", look);
      look();
    });
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
  try {
    await seen(2);
    await call("label", "configmap", "seen", "a=b");
    await seen(3);
    await call("delete", "configmap", "seen");
    await seen(4);
    await call("create", "configmap", "seen");
    await seen(5);
  } finally {
    child.kill("SIGKILL");
  }
  return plainText(text);
}
