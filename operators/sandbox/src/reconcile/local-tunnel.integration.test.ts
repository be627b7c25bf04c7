// LocalWorkloads with the objects that lead to their machines, on the embedded cluster in virtual time. The test writes what the tunnel server reports. The
// numbers are the rows of the failure table in docs/internals/sandbox.md.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { LocalWorkload, type LocalWorkloadInput } from "../api/local-workload.ts";
import { Sandbox } from "../api/sandbox.ts";
import { tunnelListenPorts } from "../build/tunnel-ports.ts";
import { heartbeatLostMs } from "../decide/connection.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

type Connection = NonNullable<LocalWorkloadInput["spec"]["connection"]>;

describe("the tunnel of a LocalWorkload", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.baseline("cart");
    await bench.create("pr", { services: [{ name: "cart", targetRef: { name: "cart" }, mode: "Local" }] });
    await bench.waitFor("pr", ({ status }) => status?.routingKey !== undefined, "a key");
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const create = async (name: string, connection: Connection = {}, sandbox = "pr"): Promise<LocalWorkload> => {
    const ports = [{ name: "http", containerPort: 8080 }];
    const object: LocalWorkloadInput = {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "LocalWorkload",
      metadata: { name, namespace },
      spec: { sandboxRef: { name: sandbox }, service: { name: "cart", ports }, connection },
    };
    await bench.client.create(LocalWorkload, LocalWorkload.default(object));
    return waitFor(name, ({ status }) => status?.service !== undefined, "a Service");
  };
  const waitFor = async (name: string, is: (workload: LocalWorkload) => boolean, what: string) =>
    bench.untilObject(LocalWorkload, { namespace, name }, { what, is });
  const phase = async (name: string, expected: string) =>
    waitFor(name, ({ status }) => status?.phase === expected, expected);
  const report = async (name: string, status: object): Promise<void> => {
    await bench.client.patch(
      LocalWorkload,
      { namespace, name },
      { merge: { status } },
      { subresource: "status", fieldManager: "sandbox-tunnel" },
    );
  };
  const isoNow = (): string => `${new Date(bench.clock.now()).toISOString().slice(0, 19)}Z`;
  const machine = (id: string, replica: string, address: string): object => ({
    machine: id,
    host: `laptop-${id}`,
    epoch: 1,
    replica,
    address,
    connectedAt: isoNow(),
    lastHeartbeat: isoNow(),
    disconnectedAt: null,
    reason: null,
    localTarget: "Listening",
  });
  const endpointsOf = async ({ status }: LocalWorkload): Promise<readonly string[]> => {
    const slice = await bench.client.get(EndpointSlice, { namespace, name: status?.service ?? "" });
    return (slice?.endpoints ?? []).map(
      ({ addresses, conditions, targetRef }) =>
        `${targetRef?.namespace}/${targetRef?.name} ${addresses.join()} ${conditions?.ready === true ? "ready" : "not ready"}`,
    );
  };
  const untilEndpoints = async (workload: LocalWorkload, expected: readonly string[]): Promise<void> => {
    await bench.until(`the endpoints ${expected.join(", ")}`, async () => {
      return JSON.stringify(await endpointsOf(workload)) === JSON.stringify(expected);
    });
  };
  const remove = async (name: string): Promise<void> => {
    await bench.client.delete(LocalWorkload, { namespace, name });
    await bench.until("it is gone", async () => {
      return (await bench.client.get(LocalWorkload, { namespace, name })) === undefined;
    });
  };

  it("is announced with address, authority and ports, behind a Service without endpoints", async () => {
    const first = await create("first");
    const second = await create("second");

    const announced = await waitFor("first", ({ status }) => status?.tunnel?.caSha256 !== undefined, "the authority");

    assert.match(announced.status?.tunnel?.caSha256 ?? "", /^[0-9a-f]{64}$/);
    const service = await bench.client.get(Service, { namespace, name: first.status?.service ?? "" });
    assert.match(service?.metadata.name ?? "", /^pr-cart-[0-9a-z]{8}$/);
    assert.equal(service?.spec?.selector, undefined);
    const [port] = first.status?.ports ?? [];
    assert.deepEqual(
      service?.spec?.ports?.map(({ name, port: number, targetPort }) => ({ name, port: number, targetPort })),
      [{ name: "port-80", port: 80, targetPort: port?.listenPort }],
    );
    assert.deepEqual(await endpointsOf(first), []);
    const used = [first, second].map(({ status }) => status?.ports?.[0]?.listenPort ?? 0);
    assert.ok(used.every((number) => number >= tunnelListenPorts.first && number <= tunnelListenPorts.last));
    assert.notEqual(used[0], used[1], "every LocalWorkload has a port of its own");
    await remove("second");
    await remove("first");
  });

  it("goes through its conditions: attached, listening, asleep, back, away for too long", async () => {
    const workload = await create("jane", { timeout: 60 });

    await report("jane", {
      connection: {
        ...machine("a", "tunnel-0", "10.0.0.5"),
        localTarget: "NotListening",
        localMessage: "Nothing listens on 127.0.0.1:3000 of laptop-a",
      },
    });
    const closed = await waitFor(
      "jane",
      (each) => conditionOf(each, "LocalTargetReady")?.startsWith("False") === true,
      "LocalTargetReady",
    );
    assert.equal(closed.status?.phase, "Connected");
    assert.match(conditionOf(closed, "TunnelConnected") ?? "", /^True Connected/);
    assert.match(conditionOf(closed, "LocalTargetReady") ?? "", /^False NotListening: Nothing listens on 127/);
    assert.match(conditionOf(closed, "Ready") ?? "", /^False LocalTargetNotReady/);
    // The tunnel server responds with the reason, so the endpoint is ready.
    await untilEndpoints(workload, ["sandbox-system/tunnel-0 10.0.0.5 ready"]);

    await report("jane", { connection: { localTarget: "Listening", localMessage: null } });
    const ready = await waitFor("jane", (each) => conditionOf(each, "Ready")?.startsWith("True") === true, "Ready");
    assert.match(conditionOf(ready, "LocalTargetReady") ?? "", /^True Listening/);
    assert.match(conditionOf(ready, "RoutesProgrammed") ?? "", /^True Programmed/);

    await report("jane", { connection: { disconnectedAt: isoNow(), reason: "HeartbeatLost" } });
    const asleep = await phase("jane", "Disconnected");
    assert.match(conditionOf(asleep, "TunnelConnected") ?? "", /^False HeartbeatLost/);
    assert.match(conditionOf(asleep, "LocalTargetReady") ?? "", /^Unknown Unknown/);
    assert.match(conditionOf(asleep, "Ready") ?? "", /^False NotConnected/);
    await untilEndpoints(workload, ["sandbox-system/tunnel-0 10.0.0.5 not ready"]);
    assert.ok(
      (await bench.table("cart"))?.spec.entries.some(({ mode }) => mode === "Local"),
      "routes stay",
    );

    await report("jane", { connection: machine("a", "tunnel-0", "10.0.0.5") });
    await waitFor("jane", (each) => conditionOf(each, "Ready")?.startsWith("True") === true, "Ready again");

    await report("jane", { connection: { disconnectedAt: isoNow(), reason: "HeartbeatLost" } });
    const failed = await phase("jane", "Failed");
    assert.match(conditionOf(failed, "TunnelConnected") ?? "", /^False HeartbeatLost/);
    assert.match(conditionOf(failed, "RoutesProgrammed") ?? "", /^False Withdrawn/);
    await bench.until("the routes are withdrawn", async () => {
      return !((await bench.table("cart"))?.spec.entries ?? []).some(({ mode }) => mode === "Local");
    });
    const events = await bench.eventsOf("LocalWorkload", { namespace, name: "jane" });
    assert.deepEqual(
      events.map((text) => text.split(":", 1)[0]),
      // Repeated events are counted in the first one.
      ["Normal TunnelConnected", "Warning LocalNotListening", "Warning TunnelLost"],
    );
    await remove("jane");
  });

  it("row 45: leads to the replica that the machine has moved to", async () => {
    const workload = await create("moving");
    await report("moving", { connection: machine("a", "tunnel-0", "10.0.0.5") });
    await untilEndpoints(workload, ["sandbox-system/tunnel-0 10.0.0.5 ready"]);

    await report("moving", { connection: { ...machine("a", "tunnel-1", "10.0.0.6"), epoch: 2 } });

    await untilEndpoints(workload, ["sandbox-system/tunnel-1 10.0.0.6 ready"]);
    assert.equal(
      (await phase("moving", "Connected")).status?.ports?.[0]?.listenPort,
      workload.status?.ports?.[0]?.listenPort,
    );
    await remove("moving");
  });

  it("is lost when the replica has crashed and the machine does not come back", async () => {
    await create("crashed");
    await report("crashed", { connection: machine("a", "tunnel-0", "10.0.0.5") });
    await phase("crashed", "Connected");
    const since = bench.clock.now();

    const lost = await phase("crashed", "Disconnected");

    assert.match(conditionOf(lost, "TunnelConnected") ?? "", /^False HeartbeatLost/);
    assert.ok(bench.clock.now() - since <= heartbeatLostMs + 2_000, String(bench.clock.now() - since));
    await remove("crashed");
  });

  it("leads to the replicas of all machines of a pool, and to that of the active one with standbys", async () => {
    const [a, b] = [machine("a", "tunnel-0", "10.0.0.5"), machine("b", "tunnel-1", "10.0.0.6")];
    const pool = await create("pool", { mode: "Pool" });
    await report("pool", { connection: a, machines: [a, b] });
    await untilEndpoints(pool, ["sandbox-system/tunnel-0 10.0.0.5 ready", "sandbox-system/tunnel-1 10.0.0.6 ready"]);
    await report("pool", { connection: b, machines: [b] });
    await untilEndpoints(pool, ["sandbox-system/tunnel-1 10.0.0.6 ready"]);
    await remove("pool");

    const standby = await create("standby", { mode: "Standby" });
    await report("standby", { connection: a, machines: [a, b] });
    await untilEndpoints(standby, ["sandbox-system/tunnel-0 10.0.0.5 ready"]);
    await report("standby", { connection: b, machines: [b] });
    await untilEndpoints(standby, ["sandbox-system/tunnel-1 10.0.0.6 ready"]);
    await remove("standby");
  });

  it("has its Service and EndpointSlice restored when users change or delete them", async () => {
    const workload = await create("drift");
    await report("drift", { connection: machine("a", "tunnel-0", "10.0.0.5") });
    const expected = ["sandbox-system/tunnel-0 10.0.0.5 ready"];
    await untilEndpoints(workload, expected);
    const key = { namespace, name: workload.status?.service ?? "" };

    await bench.client.patch(EndpointSlice, key, { merge: { endpoints: [{ addresses: ["10.0.0.99"] }] } });
    await untilEndpoints(workload, expected);
    await bench.client.delete(EndpointSlice, key);
    await bench.client.delete(Service, key);

    await untilEndpoints(workload, expected);
    await bench.until("the Service", async () => (await bench.client.get(Service, key)) !== undefined);
    await remove("drift");
  });

  it("row 52: ends in order with its sandbox: routes, objects, LocalWorkload", async () => {
    await bench.create("short", { services: [{ name: "cart", targetRef: { name: "cart" }, mode: "Local" }] });
    await bench.waitFor("short", ({ status }) => status?.routingKey !== undefined, "a key");
    const workload = await create("leaving", {}, "short");
    const key = { namespace, name: workload.status?.service ?? "" };
    await report("leaving", { connection: machine("a", "tunnel-0", "10.0.0.5") });
    const isRouted = async (): Promise<boolean> =>
      ((await bench.table("cart"))?.spec.entries ?? []).some(
        ({ mode, ports }) => mode === "Local" && ports[0]?.targetService === key.name,
      );
    await bench.until("a route", isRouted);

    await bench.client.delete(Sandbox, { namespace, name: "short" });
    await bench.until("the Service is deleted", async () => {
      const service = await bench.client.get(Service, key);
      if (await isRouted()) assert.ok(service !== undefined, "a route led to a Service that was deleted");
      return service === undefined;
    });
    await bench.untilDeleted("short");

    assert.equal(await bench.client.get(LocalWorkload, { namespace, name: "leaving" }), undefined);
    assert.equal(await bench.client.get(EndpointSlice, key), undefined);
    assert.deepEqual(
      operator.lines.filter(({ level, message }) => level === "error" || message === "Hot loop detected"),
      [],
    );
  });
});
