import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Behaviour, beginning, configOf, container, MachineBench, podOf } from "../testing/machine-bench.ts";

const ends = (exitCode: number, afterMs = 1_000): Behaviour => ({ runs: [{ exitCode, afterMs }] });
const polite: Behaviour = { onTerm: { exitCode: 0, afterMs: 10 } };

describe("a running pod", () => {
  it("is created, becomes ready, and records the kubelet's events", () => {
    const bench = new MachineBench(podOf({})).pass(1_000);

    assert.deepEqual(bench.story, ["Pending ContainersNotReady main:ContainerCreating", "Running Ready main:running+"]);
    assert.deepEqual(bench.events, [
      'Normal Pulled Container image "app:1" already present on machine and can be accessed by the pod @spec.containers{main}',
      "Normal Created Container created @spec.containers{main}",
      "Normal Started Container started @spec.containers{main}",
    ]);
  });

  it("has conditions in the kubelet's order, with the observed generation", () => {
    const { machine } = new MachineBench(podOf({})).pass(1_000);

    const conditions = machine.status?.conditions?.map(({ type, status, observedGeneration }) => [
      type,
      status,
      observedGeneration,
    ]);
    assert.deepEqual(conditions, [
      ["PodReadyToStartContainers", "True", 1],
      ["Initialized", "True", 1],
      ["Ready", "True", 1],
      ["ContainersReady", "True", 1],
      ["PodScheduled", "True", 1],
    ]);
  });

  it("shows its address, its host and its start time", () => {
    const { machine } = new MachineBench(podOf({})).pass(1_000);

    const { podIP, podIPs, hostIP, startTime, observedGeneration } = machine.status ?? {};
    assert.deepEqual(
      [podIP, podIPs, hostIP, startTime, observedGeneration],
      ["10.0.0.2", [{ ip: "10.0.0.2" }], "10.1.0.1", "2026-01-01T00:00:00Z", 1],
    );
  });

  it("pulls a missing image and reports how long it took", () => {
    const bench = new MachineBench(podOf({ containers: [container("main", { image: "other:2" })] })).pass(1_000);

    assert.equal(bench.events[0], 'Normal Pulling Pulling image "other:2" @spec.containers{main}');
    assert.match(
      bench.events[1] ?? "",
      /^Normal Pulled Successfully pulled image "other:2" in 100ms \(100ms including waiting\)\. Image size: \d+ bytes\./,
    );
    assert.equal(bench.machine.status?.containerStatuses?.[0]?.image, "docker.io/library/other:2");
  });
});

describe("a pod whose containers exit", () => {
  it("shows Succeeded only when nothing is running any more", () => {
    const bench = new MachineBench(podOf({ restartPolicy: "Never" }), { behaviours: { main: ends(0) } }).pass(5_000);

    assert.deepEqual(bench.story.slice(1), [
      "Running Ready main:running+",
      "Running PodCompleted main:Completed(0)",
      "Succeeded PodCompleted main:Completed(0)",
    ]);
  });

  it("fails with the exit code of its container", () => {
    const bench = new MachineBench(podOf({ restartPolicy: "Never" }), { behaviours: { main: ends(3) } }).pass(5_000);

    assert.equal(bench.story.at(-1), "Failed PodFailed main:Error(3)");
  });

  it("ends only when all containers have exited", () => {
    const pod = podOf({ restartPolicy: "Never", containers: [container("a"), container("b")] });
    const bench = new MachineBench(pod, { behaviours: { a: ends(0), b: ends(1, 3_000) } }).pass(10_000);

    assert.deepEqual(bench.story.slice(-4), [
      "Running Ready a:running+ b:running+",
      "Running ContainersNotReady a:Completed(0) b:running+",
      "Running PodFailed a:Completed(0) b:Error(1)",
      "Failed PodFailed a:Completed(0) b:Error(1)",
    ]);
  });

  it("restarts at once the first time, then with back-offs of 10, 20, 40 seconds up to 5 minutes", () => {
    const bench = new MachineBench(podOf({}), {
      behaviours: { main: ends(1, 0) },
      delays: { startMs: 0, sandboxMs: 0 },
    });

    bench.pass(30 * 60_000);

    const starts = bench.observed
      .filter(({ text }) => text.includes(":running"))
      .map(({ atMs }) => Math.round(atMs / 1_000));
    const pauses = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    assert.deepEqual(pauses, [0, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it("shows the back-off with the kubelet's message, and the last exit as lastState", () => {
    const bench = new MachineBench(podOf({}), { behaviours: { main: ends(1) } }).pass(5_000);

    const [status] = bench.machine.status?.containerStatuses ?? [];
    assert.deepEqual(status?.state, {
      waiting: {
        reason: "CrashLoopBackOff",
        message: "back-off 10s restarting failed container=main pod=web_default(u1)",
      },
    });
    assert.equal(status?.lastState?.terminated?.exitCode, 1);
    assert.equal(status?.restartCount, 1);
    assert.equal(
      bench.events.at(-1),
      "Warning BackOff Back-off restarting failed container main in pod web_default(u1) @spec.containers{main}",
    );
  });

  it("resets the back-off after ten minutes without an exit", () => {
    const runs = [
      { exitCode: 1, afterMs: 0 },
      { exitCode: 1, afterMs: 0 },
      { exitCode: 1, afterMs: 11 * 60_000 },
      { exitCode: 1, afterMs: 1_000_000_000 },
    ];
    const bench = new MachineBench(podOf({}), { behaviours: { main: { runs } } }).pass(12 * 60_000);

    assert.equal(bench.summary, "Running Ready main:running+x3", "the third restart came without a pause");
  });

  it("does not restart a succeeded container with restartPolicy OnFailure", () => {
    const bench = new MachineBench(podOf({ restartPolicy: "OnFailure" }), { behaviours: { main: ends(0) } }).pass(
      60_000,
    );

    assert.equal(bench.summary, "Succeeded PodCompleted main:Completed(0)");
  });
});

describe("init containers", () => {
  const pod = podOf({
    restartPolicy: "Never",
    initContainers: [container("one"), container("two")],
    containers: [container("main")],
  });

  it("run one after the other, before the app containers", () => {
    const bench = new MachineBench(pod, { behaviours: { one: ends(0), two: ends(0) } }).pass(10_000);

    assert.deepEqual(bench.story, [
      "Pending ContainersNotReady one:PodInitializing two:PodInitializing main:PodInitializing",
      "Pending ContainersNotReady one:running two:PodInitializing main:PodInitializing",
      "Pending ContainersNotReady one:Completed(0)+ two:PodInitializing main:PodInitializing",
      "Pending ContainersNotReady one:Completed(0)+ two:running main:PodInitializing",
      "Pending ContainersNotReady one:Completed(0)+ two:Completed(0)+ main:PodInitializing",
      "Running Ready one:Completed(0)+ two:Completed(0)+ main:running+",
    ]);
  });

  it("fail the pod when one fails with restartPolicy Never", () => {
    const bench = new MachineBench(pod, { behaviours: { one: ends(2) } }).pass(10_000);

    assert.equal(bench.summary, "Failed PodFailed one:Error(2) two:PodInitializing main:PodInitializing");
    const initialized = bench.machine.status?.conditions?.find(({ type }) => type === "Initialized");
    assert.deepEqual(
      [initialized?.status, initialized?.message],
      ["False", "containers with incomplete status: [one two]"],
    );
  });

  it("are restarted with back-off otherwise", () => {
    const bench = new MachineBench(podOf({ initContainers: [container("one")] }), {
      behaviours: { one: ends(2) },
    }).pass(5_000);

    assert.equal(bench.summary, "Pending ContainersNotReady one:CrashLoopBackOffx1 main:PodInitializing");
  });
});

describe("sidecars", () => {
  const pod = podOf({
    restartPolicy: "Never",
    initContainers: [container("side", { restartPolicy: "Always" }), container("prep")],
    containers: [container("main")],
  });

  it("run beside the app containers and stop last", () => {
    const bench = new MachineBench(pod, { behaviours: { side: polite, prep: ends(0), main: ends(0) } }).pass(10_000);

    assert.deepEqual(bench.story.slice(-4), [
      "Running Ready side:running+ prep:Completed(0)+ main:running+",
      "Running ContainersNotReady side:running+ prep:Completed(0)+ main:Completed(0)",
      "Running PodCompleted side:Completed(0) prep:Completed(0)+ main:Completed(0)",
      "Succeeded PodCompleted side:Completed(0) prep:Completed(0)+ main:Completed(0)",
    ]);
    assert.ok(
      bench.events.includes(
        "Normal Killing Stopping container side @spec.containers{side}".replace("containers", "initContainers"),
      ),
    );
  });

  it("block the next containers until their startup probe succeeds", () => {
    const side = container("side", {
      restartPolicy: "Always",
      startupProbe: { exec: { command: ["x"] }, periodSeconds: 1 },
    });
    const behaviours: Record<string, Behaviour> = { side: { ...polite, probe: (_kind, ageMs) => ageMs > 1_500 } };
    const bench = new MachineBench(podOf({ initContainers: [side] }), { behaviours });

    bench.pass(1_000);
    assert.equal(bench.summary, "Pending ContainersNotReady side:running main:PodInitializing");

    bench.pass(3_000);
    assert.equal(bench.summary, "Running Ready side:running+ main:running+");
  });

  it("are restarted when they exit, whatever the exit code", () => {
    const bench = new MachineBench(pod, {
      behaviours: {
        side: {
          ...polite,
          runs: [
            { exitCode: 0, afterMs: 500 },
            { exitCode: 0, afterMs: 1e9 },
          ],
        },
        prep: ends(0),
      },
    });

    bench.pass(5_000);

    assert.equal(bench.summary, "Running Ready side:running+x1 prep:Completed(0)+ main:running+");
  });
});

describe("a container that cannot be started", () => {
  it("shows a failed pull, then the back-off, and retries", () => {
    const bench = new MachineBench(podOf({ containers: [container("main", { image: "nope:1" })] }), {
      script: { pullError: "not found" },
    });

    bench.pass(500);
    assert.equal(bench.summary, "Pending ContainersNotReady main:ErrImagePull");
    bench.pass(2_000);
    const waiting = bench.machine.status?.containerStatuses?.[0]?.state?.waiting;
    assert.equal(waiting?.reason, "ImagePullBackOff");
    assert.equal(
      waiting?.message,
      'Back-off pulling image "nope:1": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nope:1": failed to resolve reference "docker.io/library/nope:1": docker.io/library/nope:1: not found',
    );
    bench.pass(60_000);
    assert.equal(
      bench.events.filter((event) => event.startsWith("Normal Pulling")).length,
      3,
      "after 10 and 20 seconds",
    );
  });

  it("shows an invalid image name", () => {
    const bench = new MachineBench(podOf({ containers: [container("main", { image: "UPPER:CASE" })] })).pass(500);

    assert.equal(bench.summary, "Pending ContainersNotReady main:InvalidImageName");
    assert.equal(
      bench.events[0],
      'Warning InspectFailed Failed to apply default image tag "UPPER:CASE": couldn\'t parse image name "UPPER:CASE": invalid reference format: repository name (library/UPPER) must be lowercase @spec.containers{main}',
    );
  });

  it("waits for a ConfigMap of its environment, and starts when it exists", () => {
    const maps: Record<string, Record<string, string>> = {};
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }];
    const bench = new MachineBench(podOf({ containers: [container("main", { env })] }), {
      config: configOf(maps),
    }).pass(500);
    assert.equal(
      bench.machine.status?.containerStatuses?.[0]?.state?.waiting?.message,
      'configmap "settings" not found',
    );

    maps["default/settings"] = { b: "1" };
    bench.pass(13_000);
    assert.equal(
      bench.machine.status?.containerStatuses?.[0]?.state?.waiting?.message,
      "couldn't find key a in ConfigMap default/settings",
    );

    maps["default/settings"] = { a: "1" };
    bench.send({ type: "time" });
    bench.pass(500);
    assert.equal(bench.summary, "Running Ready main:running+");
  });

  it("waits for a Secret of a volume, with an event for every attempt", () => {
    const secrets: Record<string, Record<string, string>> = {};
    const pod = podOf({ volumes: [{ name: "v", secret: { secretName: "keys" } }] });
    const bench = new MachineBench(pod, { config: configOf({}, secrets) }).pass(8_000);
    assert.equal(bench.summary, "Pending ContainersNotReady main:ContainerCreating");
    assert.deepEqual(
      new Set(bench.events),
      new Set(['Warning FailedMount MountVolume.SetUp failed for volume "v" : secret "keys" not found']),
    );
    assert.equal(bench.events.length, 5, "after 0, 0.5, 1.5, 3.5 and 7.5 seconds");

    secrets["default/keys"] = {};
    bench.send({ type: "time" });
    bench.pass(500);
    assert.equal(bench.summary, "Running Ready main:running+");
  });

  it("shows the error of the container runtime for a missing executable", () => {
    const bench = new MachineBench(podOf({ restartPolicy: "Never" }), {
      script: { startError: 'exec: "nope": executable file not found in $PATH' },
    }).pass(1_000);

    assert.equal(bench.summary, "Failed PodFailed main:StartError(128)");
    assert.match(
      bench.events.at(-1) ?? "",
      /Error: failed to create containerd task: .*unable to start container process: exec: "nope": executable file not found in \$PATH: unknown/,
    );
  });
});

describe("probes", () => {
  const probe = { exec: { command: ["x"] }, periodSeconds: 1 };

  it("make a container ready when its readiness probe succeeds, and unready after three failures", () => {
    const behaviours: Record<string, Behaviour> = { main: { probe: (_kind, ageMs) => ageMs > 1_500 && ageMs < 5_000 } };
    const bench = new MachineBench(podOf({ containers: [container("main", { readinessProbe: probe })] }), {
      behaviours,
    }).pass(10_000);

    assert.deepEqual(bench.story.slice(1), [
      "Running ContainersNotReady main:running",
      "Running Ready main:running+",
      "Running ContainersNotReady main:running",
    ]);
    assert.equal(
      bench.events.find((event) => event.includes("Unhealthy")),
      "Warning Unhealthy Readiness probe failed: no @spec.containers{main}",
    );
  });

  it("restart a container whose liveness probe fails often enough", () => {
    const behaviours: Record<string, Behaviour> = { main: { ...polite, probe: (_kind, ageMs) => ageMs < 2_500 } };
    const livenessProbe = { ...probe, failureThreshold: 2 };
    const bench = new MachineBench(podOf({ containers: [container("main", { livenessProbe })] }), { behaviours }).pass(
      6_000,
    );

    assert.equal(bench.summary, "Running Ready main:running+x1");
    assert.ok(
      bench.events.includes(
        "Normal Killing Container main failed liveness probe, will be restarted @spec.containers{main}",
      ),
    );
  });

  it("run no other probe before the startup probe has succeeded", () => {
    const asked: string[] = [];
    const behaviours: Record<string, Behaviour> = {
      main: { probe: (kind, ageMs) => asked.push(kind) > 0 && (kind !== "startup" || ageMs > 2_000) },
    };
    const spec = { startupProbe: probe, readinessProbe: probe, livenessProbe: probe };
    new MachineBench(podOf({ containers: [container("main", spec)] }), { behaviours }).pass(2_500);

    assert.deepEqual(asked.slice(0, 3), ["startup", "startup", "startup"]);
    assert.ok(asked.slice(3).every((kind) => kind !== "startup"));
  });
});

describe("scripts", () => {
  it("make a container ready after a time, also without a probe", () => {
    const bench = new MachineBench(podOf({}), { script: { readyAfterMs: 2_000 } });

    bench.pass(1_500);
    assert.equal(bench.summary, "Running ContainersNotReady main:running");
    bench.pass(1_000);
    assert.equal(bench.summary, "Running Ready main:running+");
  });

  it("keep a container from becoming ready", () => {
    const bench = new MachineBench(podOf({}), { script: { neverReady: true } }).pass(3_600_000);

    assert.equal(bench.summary, "Running ContainersNotReady main:running");
  });
});

describe("a deleted pod", () => {
  it("stops its containers in order and is removed", () => {
    const bench = new MachineBench(podOf({}), { behaviours: { main: polite } }).pass(1_000).delete(30);

    bench.pass(1_000);

    assert.equal(bench.summary, "Succeeded PodCompleted main:Completed(0)");
    assert.equal(bench.machine.status?.observedGeneration, 2);
    assert.ok(bench.isRemoved);
    assert.equal(bench.events.at(-1), "Normal Killing Stopping container main @spec.containers{main}");
  });

  it("is killed when it ignores SIGTERM for the grace period", () => {
    const bench = new MachineBench(podOf({})).pass(1_000).delete(3);

    bench.pass(2_900);
    assert.equal(bench.isRemoved, false);
    bench.pass(200);
    assert.equal(bench.summary, "Failed PodFailed main:Error(137)");
    assert.ok(bench.isRemoved);
  });

  it("marks containers that never ran as terminated", () => {
    const bench = new MachineBench(podOf({ volumes: [{ name: "v", secret: { secretName: "no" } }] }))
      .pass(1_000)
      .delete(3);

    bench.pass(100);

    assert.equal(bench.summary, "Failed ContainersNotReady main:ContainerStatusUnknown(137)");
    assert.ok(bench.isRemoved);
  });

  it("stops its sidecars after the app containers, in reverse order", () => {
    const side = (name: string): ReturnType<typeof container> => container(name, { restartPolicy: "Always" });
    const pod = podOf({ initContainers: [side("s1"), side("s2")] });
    const bench = new MachineBench(pod, { behaviours: { main: polite, s1: polite, s2: polite } })
      .pass(1_000)
      .delete(30);

    bench.pass(1_000);

    const killed = bench.events.filter((event) => event.includes("Killing")).map((event) => event.split(" ")[4]);
    assert.deepEqual(killed, ["main", "s2", "s1"]);
    assert.ok(bench.isRemoved);
  });
});

describe("a pod with an active deadline", () => {
  it("fails when the deadline has passed", () => {
    const bench = new MachineBench(podOf({ activeDeadlineSeconds: 4 }), { behaviours: { main: polite } }).pass(10_000);

    const { phase, reason, message } = bench.machine.status ?? {};
    assert.deepEqual(
      [phase, reason, message],
      ["Failed", "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"],
    );
  });
});

describe("readiness gates", () => {
  it("keep a pod unready until another writer sets the condition", () => {
    const pod = podOf({ readinessGates: [{ conditionType: "x.io/gate" }] });
    const bench = new MachineBench(pod).pass(1_000);
    const before = bench.machine.status?.conditions?.find(({ type }) => type === "Ready");
    assert.deepEqual(
      [before?.reason, before?.message],
      ["ReadinessGatesNotReady", 'corresponding condition of pod readiness gate "x.io/gate" does not exist.'],
    );

    bench.send({ type: "pod", pod: { ...pod, status: { conditions: [{ type: "x.io/gate", status: "True" }] } } });

    assert.equal(bench.summary, "Running Ready main:running+");
  });
});

describe("a restarted node", () => {
  it("restarts containers that were running, and leaves terminal pods alone", () => {
    const first = new MachineBench(podOf({})).pass(1_000);
    const again = new MachineBench({ ...podOf({}), status: first.machine.status ?? {} }).pass(1_000);
    assert.equal(again.summary, "Running Ready main:running+x1");
    assert.equal(again.machine.status?.containerStatuses?.[0]?.lastState?.terminated?.reason, "Unknown");

    const over = new MachineBench({
      ...podOf({}),
      status: { phase: "Succeeded", startTime: new Date(beginning).toISOString() },
    }).pass(1_000);
    assert.equal(over.machine.status, undefined, "its status is not touched");
    assert.equal(over.delete(0).isRemoved, true);
  });
});
