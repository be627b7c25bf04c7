// LocalWorkloads and SandboxPolicies on the embedded cluster, in virtual time. The test writes what the tunnel server would report.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { finalizers } from "../api/identity.ts";
import { LocalWorkload, type LocalWorkloadInput, localWorkloadReasons } from "../api/local-workload.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy, type SandboxPolicyInput } from "../api/sandbox-policy.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

type Spec = LocalWorkloadInput["spec"];

describe("local workloads", () => {
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

  const create = async (name: string, spec: Partial<Spec> = {}, service: Partial<Spec["service"]> = {}) => {
    const ports = [{ name: "http", containerPort: 8080 }];
    const object: LocalWorkloadInput = {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "LocalWorkload",
      metadata: { name, namespace },
      spec: { sandboxRef: { name: "pr" }, service: { name: "cart", ports, ...service }, ...spec },
    };
    await bench.client.create(LocalWorkload, LocalWorkload.default(object));
  };
  const waitFor = async (name: string, is: (workload: LocalWorkload) => boolean, what: string) =>
    bench.untilObject(LocalWorkload, { namespace, name }, { what, is });
  const phaseIs = (phase: string) => (workload: LocalWorkload) =>
    workload.status?.phase === phase && workload.status.observedGeneration !== undefined;
  const report = async (name: string, connection: object): Promise<void> => {
    await bench.client.patch(
      LocalWorkload,
      { namespace, name },
      { merge: { status: { connection } } },
      { subresource: "status" },
    );
  };
  const remove = async (name: string): Promise<void> => {
    await bench.client.delete(LocalWorkload, { namespace, name });
    await bench.until("it is gone", async () => {
      return (await bench.client.get(LocalWorkload, { namespace, name })) === undefined;
    });
  };
  const isoNow = (): string => `${new Date(bench.clock.now()).toISOString().slice(0, 19)}Z`;

  it("belong to their sandbox and wait for a machine", async () => {
    await create("jane");

    const workload = await waitFor("jane", phaseIs("Pending"), "Pending");

    const sandbox = await bench.get("pr");
    assert.deepEqual(
      workload.metadata.ownerReferences?.map(({ kind, name, uid }) => ({ kind, name, uid })),
      [{ kind: "Sandbox", name: "pr", uid: sandbox.metadata.uid }],
    );
    assert.deepEqual(workload.metadata.finalizers, [finalizers.localWorkload]);
    assert.equal(workload.status?.routingKey, sandbox.status?.routingKey);
    assert.equal(conditionOf(workload, "Ready"), "False NotConnected: No machine has attached yet");
    assert.match(
      conditionOf(workload, "TunnelConnected") ?? "",
      /^False WaitingForClient: No machine has attached yet; /,
    );
    assert.match(conditionOf(workload, "LocalTargetReady") ?? "", /^Unknown Unknown: /);
    assert.match(conditionOf(workload, "RoutesProgrammed") ?? "", /^False NoRoutes: /);
    assert.match(conditionOf(workload, "Degraded") ?? "", /^False AsExpected: /);
    assert.deepEqual(
      workload.status?.conditions?.map(({ type }) => type).toSorted(),
      Object.keys(localWorkloadReasons).toSorted(),
    );
    await remove("jane");
  });

  it("follow the machine: connected, disconnected, failed, connected again", async () => {
    await create("laptop", { connection: { timeout: 60 } });
    await waitFor("laptop", phaseIs("Pending"), "Pending");

    await report("laptop", { machine: "m1", connectedAt: isoNow() });
    const connected = await waitFor("laptop", phaseIs("Connected"), "Connected");
    assert.match(conditionOf(connected, "TunnelConnected") ?? "", /^True Connected: /);
    assert.match(conditionOf(connected, "Ready") ?? "", /^False LocalTargetNotReady: /);

    await report("laptop", { disconnectedAt: isoNow(), reason: "HeartbeatLost" });
    const lost = await waitFor("laptop", phaseIs("Disconnected"), "Disconnected");
    assert.match(conditionOf(lost, "TunnelConnected") ?? "", /^False HeartbeatLost: /);

    const failed = await waitFor("laptop", phaseIs("Failed"), "Failed");
    assert.match(
      conditionOf(failed, "Ready") ?? "",
      /^False ConnectionTimeout: No machine was attached for 60 seconds/,
    );
    assert.match(conditionOf(failed, "RoutesProgrammed") ?? "", /^False Withdrawn: /);

    await report("laptop", { connectedAt: isoNow(), disconnectedAt: null, reason: null });
    await waitFor("laptop", phaseIs("Connected"), "Connected");
    await remove("laptop");
  });

  it("fail if no machine attaches within the timeout", async () => {
    await create("nobody", { connection: { timeout: 30 } });

    const failed = await waitFor("nobody", phaseIs("Failed"), "Failed");

    assert.match(conditionOf(failed, "TunnelConnected") ?? "", /^False WaitingForClient: /);
    await remove("nobody");
  });

  it("report ports and services that do not exist", async () => {
    await create("ports", {}, { ports: [{ name: "http", containerPort: 1234 }] });
    const unknownPort = await waitFor(
      "ports",
      (workload) => conditionOf(workload, "Degraded")?.startsWith("True PortUnknown") === true,
      "PortUnknown",
    );
    assert.match(conditionOf(unknownPort, "Ready") ?? "", /^False PortUnknown: .* http \(1234\); its ports are 8080/);
    await create("names", {}, { ports: [{ name: "web", containerPort: 8080 }] });
    const otherName = await waitFor(
      "names",
      (workload) => conditionOf(workload, "Degraded")?.startsWith("True PortUnknown") === true,
      "PortUnknown",
    );
    assert.equal(
      conditionOf(otherName, "Ready"),
      "False PortUnknown: No Service targets the ports web (8080): the target ports are http (Service cart); name the port http in spec.service.ports",
    );
    await create("services", {}, { name: "nothing" });
    await waitFor(
      "services",
      (workload) => conditionOf(workload, "Ready")?.startsWith("False ServiceUnknown") === true,
      "ServiceUnknown",
    );
    await remove("ports");
    await remove("names");
    await remove("services");
  });

  it("go with their sandbox, and wait for one that does not exist yet", async () => {
    await create("early", { sandboxRef: { name: "later" } });
    await waitFor(
      "early",
      (workload) => conditionOf(workload, "Ready")?.startsWith("False SandboxMissing") === true,
      "SandboxMissing",
    );

    await bench.create("later");
    await waitFor("early", ({ metadata }) => metadata.ownerReferences?.[0]?.name === "later", "an owner");
    await bench.client.delete(Sandbox, { namespace, name: "later" });

    await bench.untilDeleted("later");
    assert.equal(await bench.client.get(LocalWorkload, { namespace, name: "early" }), undefined);
  });

  it("withdraw their routes before they are deleted", async () => {
    await create("routed");
    const { status } = await waitFor("routed", (workload) => workload.status?.service !== undefined, "a Service");
    await report("routed", { connectedAt: isoNow() });
    await bench.until("a route", async () => {
      const entries = (await bench.table("cart"))?.spec.entries ?? [];
      return entries.some(({ mode, ports }) => mode === "Local" && ports[0]?.targetService === status?.service);
    });

    await remove("routed");

    const entries = (await bench.table("cart"))?.spec.entries ?? [];
    assert.deepEqual(
      entries.filter(({ mode }) => mode === "Local"),
      [],
    );
  });

  it("are denied by a policy that is newer than they are", async () => {
    const policy = (name: string, spec: SandboxPolicyInput["spec"]): SandboxPolicy =>
      SandboxPolicy.default({
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "SandboxPolicy",
        metadata: { name, namespace },
        spec,
      });
    await create("denied");
    await waitFor("denied", phaseIs("Pending"), "Pending");

    await bench.client.create(SandboxPolicy, policy("one", { allowLocal: false, quota: { sandboxes: 7 } }));
    await waitFor(
      "denied",
      (workload) => conditionOf(workload, "Ready")?.startsWith("False PolicyDenied") === true,
      "PolicyDenied",
    );
    await bench.client.create(SandboxPolicy, policy("two", { maxTTL: "1d", quota: { sandboxes: 9, perUser: 2 } }));

    const first = await bench.untilObject(
      SandboxPolicy,
      { namespace, name: "one" },
      { what: "both policies", is: ({ status }) => status?.effective?.policies.length === 2 },
    );
    assert.deepEqual(first.status?.effective, {
      policies: ["one", "two"],
      enabled: true,
      allowLocal: false,
      allowPublicEndpoints: false,
      sandboxes: 7,
      perUser: 2,
      cpu: "20",
      memory: "20Gi",
      pods: 100,
      maxTTL: "1d",
      interception: "Auto",
    });
    assert.equal(
      conditionOf(first, "Accepted"),
      "True Valid: The policy is in force together with 1 other policy of the namespace",
    );

    await bench.client.delete(SandboxPolicy, { namespace, name: "two" });
    const alone = await bench.untilObject(
      SandboxPolicy,
      { namespace, name: "one" },
      { what: "one policy", is: ({ status }) => status?.effective?.policies.length === 1 },
    );
    assert.equal(conditionOf(alone, "Accepted"), "True Valid: The policy is in force");
    await bench.client.patch(SandboxPolicy, { namespace, name: "one" }, { merge: { spec: { allowedImages: ["["] } } });
    const invalid = await bench.untilObject(
      SandboxPolicy,
      { namespace, name: "one" },
      { what: "InvalidSpec", is: (each) => conditionOf(each, "Accepted")?.startsWith("False InvalidSpec") === true },
    );
    assert.match(conditionOf(invalid, "Accepted") ?? "", /allowedImages\[0\]/);
    await bench.client.delete(SandboxPolicy, { namespace, name: "one" });
    await remove("denied");
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error"),
      [],
    );
  });
});
