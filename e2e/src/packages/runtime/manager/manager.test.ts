// A program with a manager as its own process.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";
import { ProgramProcess } from "./program-process.ts";
import { durations, programName } from "./protocol.ts";

const namespace = `manager-${process.pid}`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;

await eachServer("a manager", ({ start: startServer }) => {
  let cluster: TestServer;

  before(async () => {
    cluster = await startServer();
    await create("/api/v1/namespaces", { metadata: { name: namespace } });
  });
  after(() => cluster.stop());

  async function create(path: string, body: unknown): Promise<unknown> {
    const response = await cluster.request({ method: "POST", path, body });
    assert.equal(response.status, 201, JSON.stringify(response.body));
    return response.body;
  }

  async function read<T>(path: string): Promise<T> {
    return (await cluster.request({ path })).body as T;
  }

  const start = (identity: string, token?: string): ProgramProcess =>
    new ProgramProcess({
      kubeconfig: cluster.kubeconfigPath,
      namespace,
      identity,
      ...(token === undefined ? {} : { token }),
    });

  const mark = (name: string, label = "manager"): Promise<unknown> =>
    create(configMaps, { metadata: { name, labels: { e2e: label } } });

  const markOf = async (name: string): Promise<string | undefined> =>
    (await read<{ data?: { by?: string } }>(`${configMaps}/${name}`)).data?.by;

  const holder = async (): Promise<string> =>
    (
      await read<{ spec: { holderIdentity?: string } }>(
        `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${programName}`,
      )
    ).spec.holderIdentity ?? "";

  it("starts, becomes ready, works, and exits within seconds after SIGTERM with the lease released", async () => {
    await using program = start("alone");
    await program.untilReady();
    await mark("first");

    await program.until("the object is marked", async () => (await markOf("first")) === "alone");
    const metrics = (await program.page("/metrics")).text;
    const why = (await program.page(`/why/marks/${namespace}/first`)).text;
    const live = await program.page("/livez?verbose");
    assert.equal(await holder(), "alone");
    program.signal("SIGTERM");
    const tookMs = await program.untilExit();

    assert.equal(program.exit, 0);
    assert.equal(program.errors, "");
    assert.ok(tookMs < 10_000, `stopping took ${tookMs} ms`);
    assert.equal(await holder(), "", "the lease is released");
    const checks = ["ping", "leader-election", "controller/marks", "controller/slow", "controller/secrets"];
    assert.equal(live.text, `${checks.map((check) => `[+]${check} ok\n`).join("")}livez check passed\n`);
    for (const line of dashboardMetrics) assert.match(metrics, line);
    assert.match(why, /"result": "written"/);
    const events = await read<{ items: { reason: string }[] }>(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
    assert.ok(
      events.items.some(({ reason }) => reason === "Marked"),
      "events recorded just before are flushed",
    );
  });

  it("logs an unhandled rejection with its controller, releases the lease and exits with 1", async () => {
    await using program = start("careless");
    await program.until("it leads", async () => (await holder()) === "careless");
    const metadata = { name: "forget", labels: { e2e: "manager" } };
    await create(configMaps, { metadata, data: { forget: "yes" } });

    const tookMs = await program.untilExit();

    assert.equal(program.exit, 1);
    assert.equal(await holder(), "", "the lease is released");
    assert.ok(tookMs < 10_000, `stopping took ${tookMs} ms`);
    const line = program.log.find(({ msg }) => msg === "Unhandled promise rejection, stopping");
    assert.equal(line?.["controller"], "marks");
    assert.equal(line?.["key"], `${namespace}/forget`);
    assert.match(JSON.stringify(line?.["error"]), /"message":"forgotten".*program\.js/);
    await cluster.request({ method: "DELETE", path: `${configMaps}/forget` });
  });

  it("waits for running reconciles before it releases the lease", async () => {
    await using program = start("patient");
    await program.until("it leads", async () => (await holder()) === "patient");
    await mark("slow", "slow");
    const running = async (): Promise<boolean> =>
      /"state": "running"/.test((await program.page(`/why/slow/${namespace}/slow`)).text);
    await program.until("the reconcile runs", running);

    program.signal("SIGTERM");
    await program.until("it is not ready", async () => (await program.page("/readyz/shutdown")).status === 500);
    assert.equal(await holder(), "patient");
    await program.untilExit();

    assert.equal(program.exit, 0);
    assert.equal(await markOf("slow"), "patient");
    assert.equal(await holder(), "");
  });

  it("stands by with synced caches, and takes over when the leader is killed", async () => {
    await using first = start("first");
    await first.until("it leads", async () => (await holder()) === "first");
    await using second = start("second");
    await second.untilReady();
    assert.equal(await holder(), "first");
    await mark("second");
    await first.until("the object is marked", async () => (await markOf("second")) === "first");

    first.signal("SIGKILL");
    await first.untilExit();
    const began = performance.now();
    await second.until("it works on", async () => (await markOf("second")) === "second");
    const tookMs = performance.now() - began;

    assert.ok(tookMs < durations.leaseDurationMs + durations.retryPeriodMs + 6_000, `taking over took ${tookMs} ms`);
    second.signal("SIGTERM");
    await second.untilExit();
    assert.equal(second.exit, 0);
  });

  it("starts without the controller that lacks a permission, reports the permission, and starts the controller when it is granted", async () => {
    const role = (rules: unknown): unknown => ({ metadata: { name: programName }, rules });
    const rules = [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch", "patch"] },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["list"] },
    ];
    await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: programName } });
    await create(`${roles}/roles`, role(rules));
    await create(`${roles}/rolebindings`, {
      metadata: { name: programName },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: programName },
      subjects: [{ kind: "ServiceAccount", name: programName, namespace }],
    });
    const { status } = (await create(`/api/v1/namespaces/${namespace}/serviceaccounts/${programName}/token`, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {},
    })) as { status: { token: string } };
    await using program = start("poor", status.token);
    await program.until("degraded", async () => (await program.page("/readyz/controller/secrets")).status === 500);
    await mark("third");

    await program.until("the other controller works", async () => (await markOf("third")) === "poor");
    const [page, metrics] = await Promise.all([program.page("/readyz"), program.page("/metrics")]);
    const logLine = program.log.find(({ part, level }) => level === "error" && part === "controller/secrets");
    const mended = await cluster.request({
      method: "PUT",
      path: `${roles}/roles/${programName}`,
      body: role([...rules, { apiGroups: [""], resources: ["secrets"], verbs: ["watch"] }]),
    });
    assert.equal(mended.status, 200);
    await program.untilReady();

    assert.match(
      page.text,
      new RegExp(`^\\[-\\]controller/secrets degraded: no permission to watch secrets in ${namespace}$`, "m"),
    );
    assert.match(page.text, /^\[\+\]controller\/marks ok$/m);
    assert.match(metrics.text, /^homeostat_controller_degraded\{controller="secrets",reason="access"\} 1$/m);
    assert.equal(
      logLine?.["rules"],
      `# Role in ${namespace}\n- apiGroups: [""]\n  resources: ["secrets"]\n  verbs: ["watch"]`,
    );
    await program.until("it runs", async () =>
      /"name": "secrets",\s+"resource": "secrets",\s+"state": "leading"/.test((await program.page("/why")).text),
    );
    program.signal("SIGTERM");
    await program.untilExit();
    assert.equal(program.exit, 0);
    assert.equal(program.errors, "");
  });
});

/** Metrics that dashboards use. */
const dashboardMetrics: readonly RegExp[] = [
  /^controller_runtime_reconcile_total\{controller="marks",result="success"\} [1-9]/m,
  /^controller_runtime_reconcile_errors_total\{controller="marks"\} 0$/m,
  /^controller_runtime_reconcile_time_seconds_count\{controller="marks"\} [1-9]/m,
  /^controller_runtime_max_concurrent_reconciles\{controller="marks"\} 1$/m,
  /^reconcile_total\{controller="marks",result="success"\} [1-9]/m,
  /^reconcile_errors_total\{controller="marks"\} 0$/m,
  /^reconcile_duration_seconds_count\{controller="marks"\} [1-9]/m,
  /^# TYPE workqueue_depth gauge$/m,
  /^# TYPE work_queue_depth gauge$/m,
  /^workqueue_adds_total\{controller="marks",name="marks"\} [1-9]/m,
  /^work_queue_latency_count\{controller="marks",name="marks"\} [1-9]/m,
  /^leader_election_master_status\{name="manager-e2e"\} 1$/m,
  /^rest_client_requests_total\{code="200",host="[^"]+",method="PATCH"\} [1-9]/m,
  /^rest_client_request_duration_seconds_count\{/m,
  /^cache_objects\{group="",resource="configmaps",version="v1"\} [1-9]/m,
  /^process_cpu_seconds_total [0-9]/m,
  /^process_resident_memory_bytes [1-9]/m,
  /^process_start_time_seconds [1-9]/m,
  /^nodejs_eventloop_lag_seconds [0-9]/m,
  /^homeostat_build_info\{name="manager-e2e",node="v[^"]+",version="1.0.0"\} 1$/m,
];
