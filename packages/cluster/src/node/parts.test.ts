import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ArgumentError, FakeClock } from "@homeostat/core";
import { isSlow } from "@homeostat/fuzz/is-slow";
import { fullImageName, imageBaseName, imageId, readImageName } from "./image-name.ts";
import { LogRing } from "./log-ring.ts";
import { configOf, container, podOf } from "./machine.fixture.test.ts";
import { environmentOf, environmentProblem, expand, volumeProblems } from "./missing-config.ts";
import { mountedFiles } from "./mounted-files.ts";
import { AddressRange, Network } from "./network.ts";
import { type PodLogOptions, readLog } from "./pod-logs.ts";
import { podResources } from "./pod-resources.ts";
import { backoffMsMax, nextBackoff, formatBackoff, backoffEnd } from "./restart-backoff.ts";
import { statusPatch } from "./status-patch.ts";

describe("the restart back-off", () => {
  it("doubles from 10 seconds to 5 minutes, and is formatted as in Go", () => {
    const pauses: string[] = [];
    for (let pause = nextBackoff(undefined, 0); pauses.length < 7; pause = nextBackoff(pause, 0))
      pauses.push(formatBackoff(pause));

    assert.deepEqual(pauses, ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
  });

  it("never ends later than the longest back-off after the failure", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 20 }),
        (failedAt, later, times) => {
          let pause = nextBackoff(undefined, 0);
          for (let count = 0; count < times; count += 1) pause = nextBackoff(pause, 0);
          const until = backoffEnd(pause, failedAt, failedAt + later);
          assert.ok(until === undefined || (until > failedAt + later && until <= failedAt + backoffMsMax));
        },
      ),
    );
  });
});

describe("image names", () => {
  const cases: readonly [text: string, full: string, base: string][] = [
    ["redis", "docker.io/library/redis:latest", "redis"],
    ["redis:7", "docker.io/library/redis:7", "redis"],
    ["locustio/locust:2.47.0", "docker.io/locustio/locust:2.47.0", "locust"],
    ["localhost/x/y", "localhost/x/y:latest", "y"],
    ["registry:5000/team/app:1.2", "registry:5000/team/app:1.2", "app"],
    [`app@sha256:${"a".repeat(64)}`, `docker.io/library/app@sha256:${"a".repeat(64)}`, "app"],
  ];
  for (const [text, full, base] of cases) {
    it(`parses ${text.slice(0, 40)}`, () => {
      assert.equal(fullImageName(text), full);
      assert.equal(imageBaseName(text), base);
      assert.match(imageId(text), /@sha256:[0-9a-f]{64}$/);
    });
  }

  it("reports errors in the wording of container tools", () => {
    assert.deepEqual(readImageName("UPPER:CASE"), {
      problem: "invalid reference format: repository name (library/UPPER) must be lowercase",
    });
    assert.deepEqual(readImageName("a b"), { problem: "invalid reference format" });
    assert.deepEqual(readImageName(""), { problem: "invalid reference format" });
    assert.deepEqual(readImageName("x@sha256:12"), { problem: "invalid reference format" });
  });

  it("parses any text quickly", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[a-z0-9.:/@_-]{0,300}$/)), (text) => {
        const name = readImageName(text);
        assert.ok("problem" in name || name.repository.includes("/"));
      }),
      { numRuns: 20_000 },
    );
    assert.ok(!isSlow(() => readImageName(`${"a-".repeat(50_000)}!`)));
  });
});

describe("configuration of pods", () => {
  const config = configOf({ "default/settings": { a: "1", "x.conf": "text" } }, { "default/keys": { password: "pw" } });

  it("reports missing volumes sources as the kubelet does", () => {
    const pod = podOf({
      volumes: [
        { name: "v1", configMap: { name: "none" } },
        { name: "v2", configMap: { name: "none", optional: true } },
        { name: "v3", configMap: { name: "settings", items: [{ key: "no", path: "x" }] } },
        { name: "v4", secret: { secretName: "keys", items: [{ key: "no", path: "x" }] } },
        {
          name: "v5",
          projected: {
            sources: [{ configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } }],
          },
        },
        { name: "v6", emptyDir: {} },
      ],
    });

    assert.deepEqual(volumeProblems(pod, config), [
      { volume: "v1", problem: 'configmap "none" not found' },
      { volume: "v3", problem: "configmap references non-existent config key: no" },
      { volume: "v4", problem: "references non-existent secret key: no" },
    ]);
  });

  const environments: readonly [title: string, more: Parameters<typeof container>[1], problem: string | undefined][] = [
    ["a ConfigMap", { envFrom: [{ configMapRef: { name: "no" } }] }, 'configmap "no" not found'],
    ["a Secret", { envFrom: [{ secretRef: { name: "no" } }] }, 'secret "no" not found'],
    ["an optional one", { envFrom: [{ secretRef: { name: "no", optional: true } }] }, undefined],
    [
      "a key",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "keys", key: "no" } } }] },
      "couldn't find key no in Secret default/keys",
    ],
    ["nothing", { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }] }, undefined],
  ];
  for (const [title, more, problem] of environments) {
    it(`reports when an environment lacks ${title}`, () => {
      assert.equal(environmentProblem(podOf({}), container("main", more), config), problem);
    });
  }

  it("builds the environment from variables, references and the downward API", () => {
    const env = environmentOf(
      podOf({}, { labels: { team: "red" } }),
      container("main", {
        envFrom: [{ prefix: "P_", configMapRef: { name: "settings" } }],
        env: [
          { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "keys", key: "password" } } },
          { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
          { name: "TEAM", valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } },
          { name: "ALL", value: "$(PASSWORD)-$(NAME)-$(UNKNOWN)-$$(NAME)" },
        ],
      }),
      { config, ip: "10.0.0.2", hostIP: "10.1.0.1" },
    );

    assert.deepEqual(
      [...env],
      [
        ["P_a", "1"],
        ["P_x.conf", "text"],
        ["PASSWORD", "pw"],
        ["NAME", "web"],
        ["IP", "10.0.0.2"],
        ["TEAM", "red"],
        ["ALL", "pw-web-$(UNKNOWN)-$(NAME)"],
      ],
    );
    assert.equal(expand("$(A) $$ $(", new Map([["A", "1"]])), "1 $ $(");
  });

  it("mounts files of ConfigMaps and Secrets", () => {
    const pod = podOf({
      volumes: [
        { name: "v", configMap: { name: "settings" } },
        { name: "s", secret: { secretName: "keys", items: [{ key: "password", path: "p" }] } },
      ],
    });
    const spec = container("main", {
      volumeMounts: [
        { name: "v", mountPath: "/etc/app" },
        { name: "s", mountPath: "/run/secret", subPath: "p" },
      ],
    });

    assert.deepEqual(
      [...mountedFiles(pod, spec, config)],
      [
        ["/etc/app/a", "1"],
        ["/etc/app/x.conf", "text"],
        ["/run/secret", "pw"],
      ],
    );
  });
});

describe("the pod network", () => {
  const endpoint = {
    namespace: "default",
    name: "web-0",
    hostname: "web-0",
    subdomain: "web",
    ip: "10.0.0.2",
    labels: { app: "web" },
    isReady: true,
    ports: new Map([["http", 8080]]),
  };
  const network = new Network();
  network.setPod("u1", endpoint);
  network.setPod("u2", { ...endpoint, name: "web-1", hostname: "web-1", ip: "10.0.0.3", isReady: false });
  network.addDirectory({
    list: () => [
      {
        namespace: "default",
        name: "web",
        clusterIPs: ["10.96.0.9"],
        selector: { app: "web" },
        ports: [{ port: 80, targetPort: "http" }],
      },
      { namespace: "default", name: "pods", clusterIPs: [], selector: { app: "web" }, ports: [] },
    ],
  });
  const bound = network.bind("10.0.0.2", 8080, { host: "127.0.0.1", port: 40_000 });
  network.bind("10.0.0.3", 8080, { host: "127.0.0.1", port: 40_001 });

  it("resolves a pod by its address", () => {
    assert.deepEqual(network.addressOf("10.0.0.2", 8080), { host: "127.0.0.1", port: 40_000 });
    assert.equal(network.addressOf("10.0.0.2", 81), undefined);
  });

  it("resolves a Service to a ready pod, by its address and its names", () => {
    for (const host of ["10.96.0.9", "web", "web.default", "web.default.svc", "web.default.svc.cluster.local"])
      assert.equal(network.resolve(host, 80, "default")?.port, 40_000, host);
    assert.equal(network.resolve("web", 81, "default"), undefined);
    assert.equal(network.resolve("web", 80, "other"), undefined);
    assert.equal(network.resolve("web.default.pod", 80, "default"), undefined);
  });

  it("resolves one pod of a headless Service, ready or not", () => {
    assert.equal(network.resolve("web-1.pods.default.svc", 8080, "x")?.port, 40_001);
    assert.equal(network.resolve("pods", 8080, "default")?.port, 40_000);
  });

  it("removes a released port", () => {
    bound[Symbol.dispose]();

    assert.equal(network.addressOf("10.0.0.2", 8080), undefined);
  });

  it("allocates every address of a range once", () => {
    const range = new AddressRange("10.244.7.0/29");

    const taken = Array.from({ length: 6 }, () => range.take());

    assert.deepEqual(taken, ["10.244.7.2", "10.244.7.3", "10.244.7.4", "10.244.7.5", "10.244.7.6", undefined]);
    range.release("10.244.7.4");
    assert.equal(range.take(), "10.244.7.4");
    assert.equal(range.claim("10.244.7.4"), false);
    assert.throws(() => new AddressRange("10.0.0.0/33"), ArgumentError);
  });
});

describe("the log of a container", () => {
  const read = async (
    ring: LogRing,
    options: Partial<PodLogOptions> = {},
    clock = new FakeClock(),
  ): Promise<string> => {
    let text = "";
    for await (const bytes of readLog(ring, { namespace: "default", name: "web", ...options }, clock))
      text += Buffer.from(bytes).toString();
    return text;
  };
  const ringOf = (...lines: string[]): LogRing => {
    const ring = new LogRing();
    for (const [index, line] of lines.entries())
      ring.print(line, Date.UTC(2026, 0, 1) - (lines.length - index) * 1_000);
    return ring;
  };

  it("can be read whole, from the end, by age, with times, and up to a size", async () => {
    const ring = ringOf("one", "two\n", "three\nfour");

    assert.equal(await read(ring), "one\ntwo\nthree\nfour\n");
    assert.equal(await read(ring, { tailLines: 2 }), "three\nfour\n");
    assert.equal(await read(ring, { tailLines: 0 }), "");
    assert.equal(await read(ring, { sinceSeconds: 2 }), "two\nthree\nfour\n");
    assert.equal(await read(ring, { limitBytes: 6 }), "one\ntw");
    assert.match(await read(ring, { timestamps: true, tailLines: 1 }), /^2025-12-31T23:59:59\.000000000Z four\n$/);
  });

  it("can be followed until the container exits", async () => {
    const ring = ringOf("one");
    const reading = read(ring, { follow: true });
    await Promise.resolve();
    ring.print("two", 0);
    ring.print("three", 0);
    ring.end();

    assert.equal(await reading, "one\ntwo\nthree\n");
  });

  it("can be followed until the reader stops", async () => {
    const stop = new AbortController();
    const reading = read(ringOf("one"), { follow: true, signal: stop.signal });
    await Promise.resolve();
    stop.abort();

    assert.equal(await reading, "one\n");
  });

  it("is bounded: the oldest lines are dropped", async () => {
    const ring = new LogRing(100);
    for (let index = 0; index < 1_000; index += 1) ring.print(`line ${index}`, 0);

    const text = await read(ring);

    assert.ok(text.length <= 100 && text.endsWith("line 999\n"), text);
  });
});

describe("the status patch", () => {
  it("removes absent fields and keeps the conditions of other writers in front", () => {
    const patch = statusPatch(
      { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      { uid: "u1", others: ["x.io/gate"] },
    );

    assert.deepEqual(patch, {
      metadata: { uid: "u1" },
      status: {
        phase: "Running",
        reason: null,
        message: null,
        conditions: [{ type: "Ready", status: "True", reason: null, message: null }],
        "$setElementOrder/conditions": [{ type: "x.io/gate" }, { type: "Ready" }],
      },
    });
  });

  it("sums the requests of containers, and the limits that all containers have", () => {
    const pod = podOf({
      containers: [
        container("a", {
          resources: { requests: { cpu: "10m", memory: "20Mi" }, limits: { memory: "50Mi", cpu: "1" } },
        }),
        container("b", { resources: { requests: { cpu: "1500m" }, limits: { memory: "14Mi" } } }),
      ],
    });

    assert.deepEqual(podResources(pod), {
      resources: { limits: { memory: "64Mi" }, requests: { cpu: "1510m", memory: "20Mi" } },
      allocatedResources: { cpu: "1510m", memory: "20Mi" },
    });
    assert.deepEqual(podResources(podOf({})), { resources: {} });
  });
});
