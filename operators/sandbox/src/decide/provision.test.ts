import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { decideHook, type ObservedHook, parseOutputs } from "./provision.ts";

function job(type?: "Complete" | "Failed", reason = ""): Job {
  const conditions = type === undefined ? [] : [{ type, status: "True", reason, message: "Job has ended" }];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "db" },
    spec: { template: {} },
    status: { conditions },
  };
}

function pod(message: string, exitCode: number, finishedAt = "2026-01-01T00:00:00Z"): Pod {
  const state = { terminated: { exitCode, message, finishedAt } };
  const containerStatuses = [{ name: "hook", image: "a", imageID: "", ready: false, restartCount: 0, state }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "db" },
    spec: { containers: [] },
    status: { containerStatuses },
  };
}

describe("decideHook", () => {
  const hook: ObservedHook = { name: "db", outputs: ["URL"], secretKeys: undefined, job: undefined, pods: [] };

  it("creates the Job of a hook that has not run", () => {
    assert.deepEqual(decideHook(hook), { type: "createJob" });
  });

  it("is done once the Secret exists, even if the Job is gone", () => {
    assert.deepEqual(decideHook({ ...hook, secretKeys: [] }), { type: "done" });
  });

  it("waits for a running Job", () => {
    assert.equal(decideHook({ ...hook, job: job() }).type, "wait");
  });

  it("stores the outputs of the newest pod that succeeded", () => {
    const pods = [
      pod("URL=old", 0),
      pod("URL=new\nnoise\nUSER=a=b", 0, "2026-01-01T00:01:00Z"),
      pod("URL=bad", 1, "2026-01-01T00:02:00Z"),
    ];

    assert.deepEqual(decideHook({ ...hook, job: job("Complete"), pods }), {
      type: "storeOutputs",
      outputs: { URL: "new", USER: "a=b" },
    });
  });

  it("fails if a declared output is missing", () => {
    const step = decideHook({ ...hook, job: job("Complete"), pods: [pod("USER=a", 0)] });

    assert.deepEqual(step, {
      type: "failed",
      message: "Provision hook db ended without the outputs URL; write KEY=VALUE lines to /dev/termination-log",
    });
  });

  it("shows the end of the log of a failed Job", () => {
    const step = decideHook({ ...hook, job: job("Failed", "BackoffLimitExceeded"), pods: [pod("x".repeat(1_000), 1)] });

    assert.equal(step.type, "failed");
    assert.match(
      "message" in step ? step.message : "",
      /^Provision hook db failed \(BackoffLimitExceeded\): \.\.\.x{400}$/,
    );
  });
});

describe("parseOutputs", () => {
  it("reads KEY=VALUE lines and ignores others", () => {
    assert.deepEqual(parseOutputs("A=1\r\n1B=2\n=3\n__proto__=4\nA=5"), { A: "5", ["__proto__"]: "4" });
  });

  it("reads at most as much as Kubernetes keeps", () => {
    assert.deepEqual(parseOutputs(`A=${"x".repeat(5_000)}\nB=1`)["B"], undefined);
  });
});
