// The program with exactly the permissions of its manifests, and the sandbox operator, on the embedded cluster: from a LocalWorkload to a request that a
// machine answers.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findCondition } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { operatorManifests } from "@homeostat/operator";
import { applyManifests, type RunningOperator } from "@homeostat/operator-testing";
import { LocalWorkload, Sandbox, sandboxOperator, systemNamespace } from "@homeostat/sandbox-operator";
import { MachineKey } from "@homeostat/tunnel";
import { tunnelOperator } from "./operator.ts";
import { namespace, TestTunnels } from "./testing/test-tunnels.ts";

describe("the tunnel program", () => {
  const key = MachineKey.generate();
  let cluster: TestTunnels;
  let folder: string;
  let operator: RunningOperator;
  let program: RunningOperator;
  let port: number | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunnel-"));
    cluster = await TestTunnels.start();
    const { client } = cluster;
    const labels = { "sandbox.example.com/enabled": "true" };
    await client.patch(Namespace, { name: namespace }, { merge: { metadata: { labels } } });
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } });
    const kinds = new Set(["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);
    await applyManifests(
      client,
      operatorManifests(tunnelOperator()).filter(({ kind }) => kinds.has(kind)),
    );
    await createBaseline();
    operator = await cluster.runOperator({
      operator: (random) => sandboxOperator({ operatorNamespace: systemNamespace, random }),
      run: { namespace: systemNamespace },
      settings: {},
      isCounted: () => false,
    });
    await mountCertificate();
    program = await cluster.runOperator({
      operator: () => tunnelOperator({ host: "127.0.0.1", onListening: (_server, listening) => (port = listening) }),
      user: `system:serviceaccount:${systemNamespace}:sandbox-tunnel`,
      run: { namespace: systemNamespace },
      settings: { clientPort: 0, certDir: folder, replica: "tunnel-0", address: "10.0.0.7" },
      isCounted: () => false,
    });
    await cluster.until("the program listens", async () => port !== undefined);
  });
  after(async () => {
    await program[Symbol.asyncDispose]();
    await operator[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function createBaseline(): Promise<void> {
    const app = { app: "cart" };
    await cluster.client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "cart", namespace },
      spec: {
        selector: { matchLabels: app },
        template: {
          metadata: { labels: app },
          spec: { containers: [{ name: "app", image: "cart:1", ports: [{ containerPort: 8080, name: "http" }] }] },
        },
      },
    });
    await cluster.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "cart", namespace, annotations: { "sandbox.example.com/interception": "None" } },
      spec: { selector: app, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    });
    await cluster.client.create(
      Sandbox,
      Sandbox.default({
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "Sandbox",
        metadata: { name: "pr", namespace },
        spec: { services: [{ name: "cart", targetRef: { name: "cart" }, mode: "Local" }] },
      }),
    );
  }

  /** Writes the certificate that the operator issues to files, as the kubelet does for a pod. */
  async function mountCertificate(): Promise<void> {
    const data = await cluster.until("the certificate", async () => {
      const secret = await cluster.client.get(Secret, { namespace: systemNamespace, name: "sandbox-tunnel-tls" });
      return secret?.data?.["tls.crt"] === undefined ? undefined : secret.data;
    });
    for (const name of ["tls.crt", "tls.key", "ca.crt"])
      await writeFile(join(folder, name), Buffer.from(data[name] ?? "", "base64"));
  }

  it("attaches a machine that trusts the pin of its LocalWorkload, and the Service leads to it", async () => {
    const { uid, name } = await cluster.localWorkload("jane", key);
    const announced = await cluster.untilObject(
      LocalWorkload,
      { namespace, name },
      {
        what: "the tunnel and a port",
        is: ({ status }) => status?.tunnel?.caSha256 !== undefined && status.ports?.[0]?.listenPort !== undefined,
      },
    );
    const localPort = await cluster.respond("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlocal");

    const machine = await cluster.attach(
      { port: port ?? 0 },
      {
        key,
        workload: { namespace, name, uid },
        localPort,
        trust: { caSha256: announced.status?.tunnel?.caSha256 ?? "" },
      },
    );
    machine.tunnel.reportPort("http", "listening");
    const ready = await cluster.untilObject(
      LocalWorkload,
      { namespace, name },
      {
        what: "Ready",
        is: ({ status }) => findCondition(status?.conditions ?? [], "Ready")?.status === "True",
      },
    );

    assert.equal(ready.status?.phase, "Connected");
    const slice = await cluster.client.get(EndpointSlice, { namespace, name: ready.status?.service ?? "" });
    assert.deepEqual(
      slice?.endpoints?.map(({ addresses, conditions, targetRef }) => [addresses, conditions?.ready, targetRef?.name]),
      [[["10.0.0.7"], true, "tunnel-0"]],
    );
    assert.equal(slice?.ports?.[0]?.port, ready.status?.ports?.[0]?.listenPort);
    assert.match(await cluster.ask(slice?.ports?.[0]?.port ?? 0), /local$/);
    assert.equal(machine.tunnel.welcome.routingKey, ready.status?.routingKey);

    await cluster.client.delete(LocalWorkload, { namespace, name });
    await cluster.until("the end", async () => machine.ends.length > 0);
    assert.deepEqual([machine.ends[0]?.reason, machine.ends[0]?.retry], ["Deleted", false]);
    assert.equal(await cluster.client.get(Service, { namespace, name: ready.status?.service ?? "" }), undefined);
    assert.deepEqual(
      [...program.lines, ...operator.lines].filter(({ level }) => level === "error"),
      [],
    );
  });
});
