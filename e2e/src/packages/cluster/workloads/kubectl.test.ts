// Compares the output of kubectl for workloads, with the controllers of Kubernetes and with ours.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { kubectl } from "@homeostat/kube";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { allSubjects, type Subject } from "./subject.ts";
import { Stage } from "./stage.ts";

const run = promisify(execFile);
const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

/** Removes what differs between runs: ages, times, addresses, name suffixes, column widths. */
function plain(text: string): string {
  return text
    .replaceAll(/\b[bcdfghjklmnpqrstvwxz2456789]{5}\b(?=\s|$|")/g, "?")
    .replaceAll(/\b\d+(?:s|m|m\d+s)\b(?: \(x\d+ over \d+(?:s|m|m\d+s)\))?/g, "AGE")
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ [+-]\d{4}/g, "TIME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?-{2,}/g, " -")
    .trim();
}

/** Sorts the events in the output of `describe`: those of one second have no fixed order. */
function sortedEvents(text: string): string {
  const [before = "", events = ""] = text.split("Events:");
  return `${before}Events:${events.split("\n").toSorted().join("\n")}`;
}

describe("workloads in the output of kubectl", { skip, concurrency: true }, () => {
  let subjects: readonly Subject[] = [];
  let command = "";

  before(async () => {
    command = await kubectl();
    subjects = await allSubjects({ embedded: false });
  });
  after(async () => {
    await Promise.all(subjects.map((side) => side[Symbol.asyncDispose]()));
  });

  type Call = (...words: string[]) => Promise<string>;

  const both = (namespace: string, play: (stage: Stage, call: Call) => Promise<unknown>): Promise<unknown[]> =>
    Promise.all(
      subjects.map(async (side) => {
        const stage = new Stage(side, namespace);
        await stage.open();
        const call: Call = async (...words) => {
          const env = { ...process.env, KUBECONFIG: side.kubeconfigPath };
          const { stdout, stderr } = await run(command, ["-n", namespace, ...words], { env });
          return plain(stdout + stderr);
        };
        return play(stage, call);
      }),
    );

  it("roll out, show their history, and roll back", async () => {
    const [real, ours] = await both("rollout", async (stage, call) => {
      const seen: string[] = [];
      seen.push(await call("create", "deployment", "web", "--image=example.com/web:1", "--replicas=2"));
      await stage.untilPods(2);
      await stage.runAll();
      seen.push(await call("rollout", "status", "deployment/web", "--timeout=30s"));
      seen.push(await call("set", "image", "deployment/web", "web=example.com/web:2"));
      const finish = async (): Promise<void> => {
        for (let step = 0; step < 3; step += 1) {
          await stage.settle();
          await stage.runAll();
        }
        await stage.settle();
      };
      await finish();
      seen.push(await call("rollout", "status", "deployment/web", "--timeout=30s"));
      seen.push(await call("rollout", "history", "deployment/web"));
      seen.push(await call("rollout", "history", "deployment/web", "--revision=1"));
      seen.push(await call("rollout", "undo", "deployment/web"));
      await finish();
      seen.push(await call("rollout", "history", "deployment/web"));
      seen.push(await call("scale", "deployment/web", "--replicas=1"));
      await stage.settle();
      seen.push(await call("get", "deployments,replicasets,pods"));
      seen.push((await call("describe", "deployment", "web")).split("Events:")[0] ?? "");
      return seen;
    });

    assert.deepEqual(ours, real);
  });

  it("include a Job and its events", async () => {
    const [real, ours] = await both("job", async (stage, call) => {
      const seen: string[] = [];
      seen.push(await call("create", "job", "work", "--image=example.com/work:1", "--", "true"));
      const pods = await stage.untilPods(1);
      await stage.run(pods);
      await stage.settle();
      seen.push(sortedEvents(await call("describe", "job", "work")));
      await stage.exit(pods, 0);
      await stage.settle();
      seen.push(await call("wait", "--for=condition=complete", "job/work", "--timeout=10s"));
      seen.push(await call("get", "jobs,pods"));
      seen.push(sortedEvents(await call("describe", "job", "work")));
      return seen;
    });

    assert.deepEqual(ours, real);
  });

  it("include a StatefulSet, its history and its events", async () => {
    const [real, ours] = await both("stateful", async (stage, call) => {
      const labels = { app: "db" };
      const containers = [{ name: "db", image: "example.com/db:1" }];
      await stage.create(StatefulSet, {
        metadata: { name: "db" },
        spec: {
          replicas: 1,
          serviceName: "db",
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      });
      await stage.run(await stage.untilPods(1));
      await stage.settle();
      const seen = [await call("rollout", "status", "statefulset/db", "--timeout=10s")];
      seen.push(await call("set", "image", "statefulset/db", "db=example.com/db:2"));
      await stage.settle();
      await stage.runAll();
      await stage.settle();
      seen.push(await call("rollout", "history", "statefulset/db"));
      seen.push(await call("rollout", "undo", "statefulset/db"));
      await stage.settle();
      await stage.runAll();
      await stage.settle();
      seen.push(await call("rollout", "history", "statefulset/db"));
      seen.push(await call("get", "statefulsets,pods,controllerrevisions"));
      seen.push(sortedEvents(await call("describe", "statefulset", "db")));
      return seen;
    });

    assert.deepEqual(ours, real);
  });
});
