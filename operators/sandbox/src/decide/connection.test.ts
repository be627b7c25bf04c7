import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localWorkloadWith } from "../testing/objects.ts";
import { type ConnectionDecision, type ConnectionInput, decideConnection } from "./connection.ts";
import { decideLocalProblem, type LocalTargets } from "./local-problem.ts";

const base: ConnectionInput = {
  createdAt: 0,
  connectedAt: undefined,
  disconnectedAt: undefined,
  reason: undefined,
  timeoutMs: 300_000,
  now: 1_000,
};

describe("decideConnection", () => {
  const rows: readonly (readonly [title: string, input: Partial<ConnectionInput>, expected: ConnectionDecision])[] = [
    [
      "is connected while there are signs of life, and says when it would count as lost",
      { connectedAt: 2_000, lastHeartbeat: 60_000, now: 239_999 },
      { phase: "Connected", isConnected: true, reason: undefined, failsAt: undefined, lostAt: 240_000 },
    ],
    [
      "is lost without a sign of life, since the last one",
      { connectedAt: 2_000, lastHeartbeat: 60_000, now: 240_000 },
      { phase: "Disconnected", isConnected: false, reason: "HeartbeatLost", failsAt: 360_000 },
    ],
    [
      "fails if the machine does not come back after that",
      { connectedAt: 2_000, lastHeartbeat: 60_000, now: 360_000 },
      { phase: "Failed", isConnected: false, reason: "HeartbeatLost", failsAt: undefined },
    ],
    [
      "waits for the first machine",
      {},
      { phase: "Pending", isConnected: false, reason: "WaitingForClient", failsAt: 300_000 },
    ],
    [
      "fails if no machine attaches in time",
      { now: 300_000 },
      { phase: "Failed", isConnected: false, reason: "WaitingForClient", failsAt: undefined },
    ],
    [
      "is connected while a machine is attached, for any time",
      { connectedAt: 2_000, now: 9_000_000 },
      { phase: "Connected", isConnected: true, reason: undefined, failsAt: undefined },
    ],
    [
      "counts the timeout from the end of the connection",
      { connectedAt: 2_000, disconnectedAt: 600_000, reason: "ClientLeft", now: 700_000 },
      { phase: "Disconnected", isConnected: false, reason: "ClientLeft", failsAt: 900_000 },
    ],
    [
      "fails if the machine stays away",
      { connectedAt: 2_000, disconnectedAt: 600_000, reason: "HeartbeatLost", now: 900_000 },
      { phase: "Failed", isConnected: false, reason: "HeartbeatLost", failsAt: undefined },
    ],
    [
      "is connected again when the machine is back, also after a failure",
      { connectedAt: 950_000, disconnectedAt: undefined, now: 951_000 },
      { phase: "Connected", isConnected: true, reason: undefined, failsAt: undefined },
    ],
    [
      "treats an unknown reason as a lost heartbeat",
      { connectedAt: 2_000, disconnectedAt: 3_000, reason: "Whatever", now: 4_000 },
      { phase: "Disconnected", isConnected: false, reason: "HeartbeatLost", failsAt: 303_000 },
    ],
  ];
  for (const [title, input, expected] of rows) {
    it(title, () => {
      assert.deepEqual(decideConnection({ ...base, ...input }), expected);
    });
  }
});

describe("decideLocalProblem", () => {
  const workload = localWorkloadWith();
  const service = (targetPort: string | number, port = 80) => ({ name: "cart", ports: [{ port, targetPort }] });
  const all: LocalTargets = {
    hasSandbox: true,
    hasService: true,
    containerPorts: new Set([8080, 9090]),
    services: [service("http")],
  };
  const rows: readonly (readonly [title: string, targets: Partial<LocalTargets>, reason: string | undefined])[] = [
    ["accepts a known port", {}, undefined],
    ["accepts any port while no port is known", { containerPorts: undefined }, undefined],
    ["reports a missing sandbox first", { hasSandbox: false, hasService: false }, "SandboxMissing"],
    ["reports an unknown service", { hasService: false }, "ServiceUnknown"],
    ["reports an unknown port", { containerPorts: new Set([9090]) }, "PortUnknown"],
    ["accepts ports while no Service is known", { services: [] }, undefined],
    ["accepts a Service that leads to the number of a port", { services: [service(8080)] }, undefined],
    ["accepts a second Service that leads to a port", { services: [service("web"), service("http")] }, undefined],
    ["reports Services that lead to no port", { services: [service("web"), service(9090)] }, "PortUnknown"],
  ];
  for (const [title, targets, reason] of rows) {
    it(title, () => {
      assert.equal(decideLocalProblem(workload, { ...all, ...targets })?.reason, reason);
    });
  }

  it("names the unknown port and the known ones", () => {
    const problem = decideLocalProblem(workload, { ...all, containerPorts: new Set([9090, 80]) });

    assert.equal(problem?.message, "The baseline has no container port for http (8080); its ports are 80, 9090");
  });

  it("names the target ports that no port of the LocalWorkload has, and what to write", () => {
    const message = (services: LocalTargets["services"]) => decideLocalProblem(workload, { ...all, services })?.message;

    assert.equal(
      message([service("web"), service(9090, 81)]),
      "No Service targets the ports http (8080): the target ports are web (Service cart), 9090 (Service cart); name the port web in spec.service.ports",
    );
    assert.match(message([service(9090)]) ?? "", /; set containerPort to 9090 in spec\.service\.ports$/);
  });
});
