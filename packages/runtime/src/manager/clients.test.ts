import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Request, ServerClock, type Transport } from "@homeostat/client";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { silentLogger } from "../log/logger.ts";
import { Registry } from "../metrics/registry.ts";
import { type ManagerClients, openClients } from "./clients.ts";
import { FakeServer } from "../testing/manager-server.ts";
import { RestClientMetrics } from "./rest-client-metrics.ts";

const name = { namespace: "a", name: "b" };

/** Returns the three clients of a process that does not lead, and the requests they send. */
function open(): { clients: ManagerClients; sent: Request[]; layered: string[]; registry: Registry } {
  const server = new FakeServer();
  const sent: Request[] = [];
  const layered: string[] = [];
  const registry = new Registry();
  const clock = new FakeClock();
  const target: Transport = {
    send: (request) => {
      sent.push(request);
      return server.send(request);
    },
  };
  const clients = openClients({
    target,
    client: {
      layers: [
        (next) => ({
          send: (request) => {
            layered.push(request.method);
            return next.send(request);
          },
        }),
      ],
    },
    clock,
    serverClock: new ServerClock({ clock }),
    random: new SeededRandom("clients"),
    log: silentLogger,
    observer: new RestClientMetrics(registry),
    correlationId: () => "reconcile-1",
    tracing: undefined,
    mayWrite: () => {
      throw new Error("not the leader");
    },
  });
  return { clients, sent, layered, registry };
}

describe("the clients of a manager", () => {
  it("write the Lease without a fence and without waiting for other requests", async () => {
    const { clients, sent, layered } = open();
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: name } as const;

    await clients.lease.create(Lease, lease);

    assert.equal(sent[0]?.isStream, true);
    assert.deepEqual(layered, ["POST"]);
  });

  it("reject writes of controllers, but not of others, while another process leads", async () => {
    const { clients, sent } = open();
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: name } as const;

    await assert.rejects(clients.writing.create(Lease, lease), { code: "FENCED" });
    assert.equal(await clients.writing.get(Lease, name), undefined);
    await clients.reading.create(Lease, lease);

    assert.deepEqual(
      sent.map(({ method, headers }) => [method, headers?.["audit-id"]]),
      [
        ["GET", "reconcile-1"],
        ["POST", "reconcile-1"],
      ],
    );
  });

  it("count all their requests in the same metrics", async () => {
    const { clients, registry } = open();

    for (const client of [clients.lease, clients.reading, clients.writing]) await client.get(Lease, name);

    assert.match(registry.expose(), /^rest_client_requests_total\{code="404",host="",method="GET"\} 3$/m);
  });
});
