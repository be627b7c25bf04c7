import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cases, example, planFor } from "../testing/build-cases.ts";
import type { Role } from "../api/names.ts";
import { masterJob, workerJob } from "./jobs.ts";
import type { BuildInput } from "./objects.ts";
import { masterService, webUiService, webUiUrl } from "./services.ts";
import { secretVolumeNames } from "./volumes.ts";

function podOf(plan: BuildInput, role: Role) {
  const { template } = (role === "master" ? masterJob(plan) : workerJob(plan)).spec;
  const [container] = template.spec?.containers ?? [];
  assert.ok(container !== undefined && template.spec !== undefined);
  return { spec: template.spec, metadata: template.metadata, container };
}

function variableOf(plan: BuildInput, role: Role, name: string): string | undefined {
  return podOf(plan, role).container.env?.findLast((variable) => variable.name === name)?.value;
}

describe("the example test", () => {
  it("has exactly the objects of the specification", () => {
    const { ports, selector } = masterService(example).spec ?? {};
    const master = podOf(example, "master");

    assert.deepEqual(
      ports?.map(({ port }) => port),
      [5557, 5558, 9646],
    );
    assert.deepEqual(selector, { "performance-test-pod-name": "shop-smoke-master" });
    assert.deepEqual(master.container.args, [
      "--locustfile",
      "/lotest/src/shop.py",
      "--host",
      "http://shop",
      "--users",
      "50",
      "--spawn-rate",
      "5",
      "--run-time",
      "2m",
      "--master",
      "--master-port=5557",
      "--expect-workers=3",
      "--autostart",
      "--autoquit",
      "60",
      "--enable-rebalancing",
      "--only-summary",
      "--loglevel",
      "DEBUG",
    ]);
    assert.deepEqual(podOf(example, "worker").container.args, [
      "--locustfile",
      "/lotest/src/shop.py",
      "--worker",
      "--master-port=5557",
      "--master-host=shop-smoke-master",
    ]);
    assert.deepEqual(master.metadata?.labels, {
      app: "shop.smoke",
      "performance-test-name": "shop.smoke",
      "performance-test-pod-name": "shop-smoke-master",
      "managed-by": "locust-k8s-operator",
    });
    const { parallelism, backoffLimit, ttlSecondsAfterFinished, completions } = masterJob(example).spec;
    assert.deepEqual([parallelism, backoffLimit, ttlSecondsAfterFinished, completions], [1, 0, 86_400, undefined]);
    assert.equal(workerJob(example).spec.parallelism, 3);
  });
});

describe("objects", () => {
  it("take the runtime class from the test, from the operator, or set none", () => {
    const withClass = (runtimeClassName: string | undefined, env: Record<string, string>) =>
      podOf(planFor({ scheduling: { ...(runtimeClassName !== undefined && { runtimeClassName }) } }, { env }), "worker")
        .spec.runtimeClassName;
    const env = { DEFAULT_RUNTIME_CLASS_NAME: "gvisor" };

    assert.deepEqual(
      [withClass("kata", env), withClass("", env), withClass(undefined, env), withClass(undefined, {})],
      ["kata", undefined, "gvisor", undefined],
    );
  });

  it("have dashes instead of dots in all generated names", () => {
    const plan = cases["dotted-name"];
    assert.ok(plan !== undefined);

    const names = [masterService(plan), masterJob(plan), workerJob(plan)].map(({ metadata }) => metadata.name);

    assert.deepEqual(names, ["team-a-load-test-master", "team-a-load-test-master", "team-a-load-test-worker"]);
    assert.equal(podOf(plan, "worker").container.name, "team-a-load-test-worker");
    assert.equal(podOf(plan, "worker").metadata?.labels?.["app"], "team-a.load-test");
  });

  it("keep readOnly: false of a secret mount", () => {
    const plan = planFor({ env: { secretMounts: [{ name: "s", mountPath: "/s", readOnly: false }] } });

    assert.deepEqual(podOf(plan, "master").container.volumeMounts, [
      { name: "secret-s", mountPath: "/s", readOnly: false },
    ]);
  });

  it("use the resources of the test without merging the operator's", () => {
    const plan = planFor({
      worker: { command: "x", replicas: 1, resources: { limits: { memory: "1Gi" }, claims: [{ name: "gpu" }] } },
    });

    assert.deepEqual(podOf(plan, "worker").container.resources, {
      limits: { memory: "1Gi" },
      claims: [{ name: "gpu" }],
    });
  });

  it("use the operator's resources if the test's are empty", () => {
    const plan = planFor({ worker: { command: "x", replicas: 1, resources: { limits: {}, requests: {} } } });

    assert.equal(podOf(plan, "worker").container.resources?.limits?.["cpu"], "1000m");
  });

  it("have no resources if the operator has no defaults", () => {
    const env = Object.fromEntries(
      ["CPU", "MEM", "EPHEMERAL"].flatMap((name) => [
        [`POD_${name}_REQUEST`, ""],
        [`POD_${name}_LIMIT`, ""],
      ]),
    );

    assert.equal(podOf(planFor({}, { env }), "worker").container.resources, undefined);
  });

  it("share one volume for two mounts of a Secret", () => {
    const plan = planFor({
      env: {
        secretMounts: [
          { name: "s", mountPath: "/1" },
          { name: "s", mountPath: "/2" },
        ],
      },
    });

    assert.deepEqual(podOf(plan, "worker").spec.volumes, [{ name: "secret-s", secret: { secretName: "s" } }]);
    assert.equal(podOf(plan, "worker").container.volumeMounts?.length, 2);
  });

  it("drop the user's label managed-by and keep performance-test-name", () => {
    const plan = planFor({
      master: { command: "-t 1m", labels: { "managed-by": "me", "performance-test-name": "mine", app: "app" } },
    });

    assert.deepEqual(podOf(plan, "master").metadata?.labels, {
      app: "app",
      "performance-test-name": "mine",
      "performance-test-pod-name": "shop-master",
      "managed-by": "locust-k8s-operator",
    });
    assert.equal(masterJob(plan).metadata.labels?.["performance-test-name"], "shop");
  });

  it("run 500 workers in one Job", () => {
    const plan = planFor({ worker: { command: "x", replicas: 500 } });

    assert.equal(workerJob(plan).spec.parallelism, 500);
    assert.ok(podOf(plan, "master").container.args?.includes("--expect-workers=500"));
  });

  it("have no Kafka variables if injection is off", () => {
    const plan = planFor({}, { env: { KAFKA_INJECTION: "auto" } });

    assert.deepEqual(podOf(plan, "master").container.env, []);
  });

  it("set PYTHONPATH to the library files, unless the user may have set it", () => {
    const testFiles = { libConfigMapRef: "lib", libMountPath: "/my/lib" };
    const path = (env: NonNullable<Parameters<typeof planFor>[0]>["env"]): string | undefined =>
      variableOf(planFor({ testFiles, ...(env !== undefined && { env }) }), "worker", "PYTHONPATH");

    assert.equal(path(undefined), "/my/lib");
    assert.equal(path({ variables: [{ name: "PYTHONPATH", value: "/mine" }] }), "/mine");
    assert.equal(path({ secretRefs: [{ name: "s" }] }), undefined);
  });

  it("set exit code 0 for failed requests with thresholds, unless the user set an exit code", () => {
    const thresholds = [{ metric: "failRatio", max: 0.1 } as const];
    const code = (spec: Parameters<typeof planFor>[0], role: Role = "master"): string | undefined =>
      variableOf(planFor({ thresholds, ...spec }), role, "LOCUST_EXIT_CODE_ON_ERROR");
    const variables = [{ name: "LOCUST_EXIT_CODE_ON_ERROR", value: "7" }];

    assert.equal(code({}), "0");
    assert.equal(code({}, "worker"), undefined);
    assert.equal(code({ thresholds: [] }), undefined);
    assert.equal(code({ env: { variables } }), "7");
    assert.equal(code({ master: { command: "-t 1m --exit-code-on-error 3" } }), undefined);
    assert.equal(code({ master: { command: "-t 1m", extraArgs: ["--exit-code-on-error=3"] } }), undefined);
  });

  it("point the exporter and the Service to the configured web port", () => {
    const plan = cases["another-web-port"];
    assert.ok(plan !== undefined);

    assert.equal(webUiUrl(plan), "https://shop-webui.perf.svc:8089/locust");
    assert.deepEqual([webUiService(planFor()), webUiUrl(planFor())], [undefined, undefined]);
  });

  it("give a recreated Service the exporter port that the running master has", () => {
    const ports = (plan: BuildInput, hasMetrics?: boolean): number | undefined =>
      masterService(plan, { ...(hasMetrics !== undefined && { hasMetrics }) }).spec?.ports?.length;
    const headless = planFor({ master: { command: "--headless" } });

    assert.deepEqual([ports(headless), ports(headless, true), ports(planFor(), false)], [2, 3, 2]);
  });

  it("keep keys such as __proto__ as keys", () => {
    const labels = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    const plan = planFor({ master: { command: "-t 1m", labels, annotations: labels } });

    const { metadata } = podOf(plan, "master");

    assert.deepEqual(Object.keys(metadata?.labels ?? {}).slice(-2), ["__proto__", "constructor"]);
    assert.ok(Object.hasOwn(metadata?.annotations ?? {}, "__proto__"));
    assert.equal(Object.getPrototypeOf(metadata?.labels), Object.prototype);
  });

  it("accept a spec of 200 KiB and control characters unchanged", () => {
    const text = "\u0001\u007f".repeat(50_000);
    const plan = planFor({
      master: { command: "-t 1m", extraArgs: [text, text] },
      env: { variables: [{ name: "A", value: text }] },
    });

    assert.equal(podOf(plan, "master").container.args?.at(-1), text);
    assert.equal(variableOf(plan, "worker", "A"), text);
  });

  it("do not mutate the given test", () => {
    const plan = cases["full"];
    assert.ok(plan !== undefined);
    const before = JSON.stringify(plan);

    for (const make of [masterService, webUiService, masterJob, workerJob]) make(plan);

    assert.equal(JSON.stringify(plan), before);
  });
});

describe("secretVolumeNames", () => {
  it("returns the name of the Secret with a prefix if it is valid", () => {
    assert.deepEqual(
      [...secretVolumeNames(["a", "b.c", "a"])],
      [
        ["a", "secret-a"],
        ["b.c", "secret-b-c"],
      ],
    );
  });

  it("never returns duplicate or too long names", () => {
    const long = (end: string): string => `${"x".repeat(240)}${end}`;
    const names = secretVolumeNames(["a.b.c", "a-b.c", "a-b-c", long("1"), long("2"), "y".repeat(56)]);

    assert.equal(new Set(names.values()).size, 6);
    assert.equal(names.get("a-b-c"), "secret-a-b-c");
    assert.equal(names.get("y".repeat(56)), `secret-${"y".repeat(56)}`);
    for (const name of names.values()) assert.match(name, /^[a-z0-9][-a-z0-9]{0,61}[a-z0-9]$/);
  });
});
