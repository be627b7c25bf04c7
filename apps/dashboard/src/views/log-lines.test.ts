import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { LogPosition, logSource } from "./log-lines.ts";

type ContainerState = NonNullable<NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number]["state"]>;

function pod(state: ContainerState, annotations: Record<string, string> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: "web-0", annotations },
    spec: { containers: [{ name: "web" }, { name: "proxy" }], initContainers: [{ name: "migrate" }] },
    status: {
      containerStatuses: ["web", "proxy"].map((name) => ({
        name,
        image: "",
        imageID: "",
        ready: true,
        restartCount: 0,
        containerID: `containerd://${name}`,
        state,
      })),
    },
  };
}

describe("the container whose log is shown", () => {
  const running = { running: { startedAt: "2026-11-18T10:00:00Z" } };

  it("is the requested one, the default container of kubectl, or the first one", () => {
    const byDefault = pod(running, { "kubectl.kubernetes.io/default-container": "proxy" });

    assert.equal(logSource(pod(running))?.container, "web");
    assert.equal(logSource(byDefault)?.container, "proxy");
    assert.equal(logSource(byDefault, "migrate")?.container, "migrate");
    assert.equal(logSource(byDefault, "missing"), undefined);
    assert.deepEqual(logSource(byDefault)?.containers, ["web", "proxy", "migrate"]);
  });

  it("has no instance before its start, and one that has ended after its end", () => {
    const ended = { terminated: { exitCode: 3 } };
    const parts = (state: ContainerState) => {
      const source = logSource(pod(state));
      return [source?.instance, source?.hasEnded, source?.state];
    };

    assert.deepEqual(parts(running), ["containerd://web", false, "Running"]);
    assert.deepEqual(parts(ended), ["containerd://web", true, "Terminated with exit code 3"]);
    assert.deepEqual(parts({ waiting: { reason: "CrashLoopBackOff" } }), [undefined, true, "CrashLoopBackOff"]);
    assert.deepEqual(parts({}), [undefined, true, "Not started"]);
  });
});

describe("the position in a log", () => {
  const line = (time: string, text: string): string => `2026-11-18T10:00:${time}Z ${text}`;
  const read = (position: LogPosition, lines: readonly string[]) =>
    lines.flatMap((one) => position.next(one)?.text ?? []);

  it("goes on after a broken connection without lines twice, also among lines with equal times", () => {
    const position = new LogPosition();
    assert.equal(position.begin("a"), undefined);
    assert.deepEqual(read(position, [line("01.5", "one"), line("02.1", "two"), line("02.1", "three")]), [
      "one",
      "two",
      "three",
    ]);

    const since = position.begin("a");
    const rest = read(position, [line("02.1", "two"), line("02.1", "three"), line("02.1", "four"), line("03", "five")]);

    assert.equal(since, "2026-11-18T10:00:02Z");
    assert.deepEqual(rest, ["four", "five"]);
  });

  it("skips nothing if the lines of the last second are gone", () => {
    const position = new LogPosition();
    position.begin("a");
    read(position, [line("02.1", "two"), line("02.2", "three")]);
    position.begin("a");

    assert.deepEqual(read(position, [line("09", "later")]), ["later"]);
  });

  it("begins again with another instance", () => {
    const position = new LogPosition();
    position.begin("a");
    read(position, [line("01", "one")]);

    assert.equal(position.begin("b"), undefined);
    assert.deepEqual(read(position, [line("01", "one")]), ["one"]);
  });

  it("keeps empty lines, and shortens very long ones", () => {
    const position = new LogPosition();
    position.begin("a");

    assert.equal(position.next("2026-11-18T10:00:01Z ")?.text, "");
    assert.equal(position.next("2026-11-18T10:00:01Z")?.text, "");
    assert.equal(position.next(line("01", "x".repeat(5_000)))?.text.length, 4_097);
  });
});
