// Drains a worker from its node: with `ignoreDisruptions` the load test continues, without it the test fails.
//
// Only one of two workers is drained: a master without workers stops the load. A worker that receives SIGTERM and has seen no
// failed request exits with code 0, so its pod has succeeded and the Job does not replace it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { kubectl } from "@homeostat/kube";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { OperatorProcess } from "../../../harness/operator-process.ts";
import { loadTest, testName } from "../stories/manifests.ts";
import { Stage } from "../stories/stage.ts";
import { embeddedSubject, startOperator, type Subject } from "../stories/subject.ts";

const run = promisify(execFile);
const workerName = "shop-smoke-worker";
const workers = 2;

describe("a load test whose worker is drained from its node", { timeout: 300_000 }, () => {
  const life = new AbortController();
  const following: Promise<void>[] = [];
  let subject: Subject | undefined;
  let operator: OperatorProcess | undefined;

  before(async () => {
    subject = await embeddedSubject();
    operator = startOperator(subject, ["sturdy", "frail"]);
  });

  after(async () => {
    life.abort();
    await operator?.stop();
    await Promise.all(following);
    await subject?.[Symbol.asyncDispose]();
  });

  /** Runs a load test until its workers run, and drains one of them. */
  async function drained(namespace: string, wish: { readonly ignoreDisruptions: boolean }): Promise<Stage> {
    assert.ok(subject && operator);
    const stage = new Stage(subject, namespace, operator);
    await stage.prepare();
    following.push(stage.follow(life.signal));
    const test = loadTest(namespace, { file: "served.py", runTime: "20s", quitSeconds: 2, workers });
    await stage.apply({ ...test, spec: { ...test.spec, worker: { ...test.spec.worker, ...wish } } });
    await stage.until("load", ({ status }) => status?.progress?.state === "running");
    const worker = await stage.eventually("a worker", () => podOf(stage, workerName));
    const node = worker.spec?.nodeName ?? "";
    const key = { namespace, name: worker.metadata.name ?? "" };
    await stage.client.patch(Pod, key, { merge: { metadata: { labels: { drained: "yes" } } } });
    const flags = ["--kubeconfig", subject.kubeconfigPath, "--pod-selector=drained=yes", "--force", "--timeout=120s"];
    await run(await kubectl(), ["drain", node, ...flags]);
    await run(await kubectl(), ["uncordon", node, "--kubeconfig", subject.kubeconfigPath]);
    return stage;
  }

  async function podOf(stage: Stage, name: string): Promise<Pod | undefined> {
    const { items } = await stage.client.list(Pod, { namespace: stage.namespace });
    return items.find(({ metadata }) => metadata.labels?.["performance-test-pod-name"] === name);
  }

  it("succeeds with ignoreDisruptions", async () => {
    const stage = await drained("sturdy", { ignoreDisruptions: true });
    const { status } = await stage.untilOver();
    const job = await stage.client.get(Job, { namespace: "sturdy", name: workerName });

    assert.equal(status?.phase, "Succeeded", JSON.stringify(status));
    assert.equal(stage.masters.size, 1);
    assert.equal(job?.status?.failed ?? 0, 0);
    assert.equal(status.run ?? 1, 1);
  });

  it("fails with a message without ignoreDisruptions", async () => {
    const stage = await drained("frail", { ignoreDisruptions: false });

    const { status, metadata } = await stage.untilOver();

    assert.equal(metadata.name, testName);
    assert.equal(status?.phase, "Failed", JSON.stringify(status));
    const completed = status.conditions?.find(({ type }) => type === "TestCompleted");
    assert.match(completed?.message ?? "", /Worker Job failed: BackoffLimitExceeded/);
    assert.equal(stage.workers.size, workers);
  });
});
