import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { operatorManifests, runOperator } from "@homeostat/operator";
import { readPointer } from "@homeostat/core";
import { describeMonitoring } from "@homeostat/operator-testing";
import { Registry } from "@homeostat/runtime";
import { sandboxOperator, tunnelDefinition } from "@homeostat/sandbox-operator";
import { TunnelMetrics } from "./metrics/tunnel-metrics.ts";
import { tunnelOperator } from "./operator.ts";

const operator = tunnelOperator();
const manifests = operatorManifests(operator);
const manifest = (kind: string): unknown => manifests.find((each) => each.kind === kind);

/** Registers all metrics, each with a value. */
function register(registry: Registry): void {
  const metrics = new TunnelMetrics();
  const counts = new Map([["shop", { connections: 1, streams: 1 }]]);
  metrics.register(registry, { counts: () => counts, certificateExpiry: () => 0 });
  metrics.bytes.inc({ direction: "in" });
  metrics.closed.inc({ reason: "ClientLeft" });
  metrics.refused.inc({ reason: "Denied" });
  metrics.outboundRefused.inc({ code: "denied" });
}

describe("the flags of the tunnel server", () => {
  it("are listed by --help, and refused with wrong values", async () => {
    const call = async (...argv: readonly string[]): Promise<{ code: number; text: string }> => {
      let text = "";
      const sink = { write: (part: string) => (text += part) };
      const code = await runOperator(operator, { argv, env: {}, stdout: sink, stderr: sink });
      return { code, text };
    };

    const help = await call("--help");
    const wrong = await call("--client-port=70000", "--drain-seconds=x");

    assert.equal(help.code, 0);
    for (const flag of ["--client-port", "--cert-dir", "--replica", "--address", "--drain-seconds", "$POD_IP", "7443"])
      assert.ok(help.text.includes(flag), flag);
    assert.equal(wrong.code, 2);
    for (const flag of ["--client-port is", "--drain-seconds is"]) assert.ok(wrong.text.includes(flag), wrong.text);
  });
});

describe("the manifests of the tunnel server", () => {
  it("are those that the sandbox operator installs", () => {
    const own = operatorManifests(operator, { createNamespace: false });
    const installed = operatorManifests(sandboxOperator());
    for (const object of own) {
      const same = installed.find(
        ({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name,
      );
      assert.deepEqual(same, object);
    }
    assert.ok(own.length >= 7);
  });

  it("grant exactly what the tunnel server needs", () => {
    const rules = manifests.flatMap(({ kind, metadata, rules: each }) =>
      kind === "ClusterRole" || kind === "Role" ? [[metadata.name, each]] : [],
    );
    const watch = ["list", "watch"];
    assert.deepEqual(rules, [
      [
        "sandbox-tunnel",
        [
          { apiGroups: [""], resources: ["nodes", "services"], verbs: watch },
          { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
          { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: watch },
          { apiGroups: ["sandbox.example.com"], resources: ["localworkloads"], verbs: ["get", "list", "watch"] },
          { apiGroups: ["sandbox.example.com"], resources: ["localworkloads/status"], verbs: ["patch"] },
          { apiGroups: ["sandbox.example.com"], resources: ["sandboxpolicies"], verbs: watch },
        ],
      ],
      [
        "sandbox-tunnel-own",
        [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["sandbox-config"], verbs: watch }],
      ],
    ]);
  });

  it("run two replicas with the certificate but not the key of the CA, and time to drain", () => {
    const deployment = manifest("Deployment");
    assert.equal(readPointer(deployment, "/spec/replicas"), 2);
    assert.equal(readPointer(deployment, "/spec/template/spec/terminationGracePeriodSeconds"), 60);
    assert.deepEqual(readPointer(deployment, "/spec/template/spec/volumes/0/secret"), {
      secretName: "sandbox-tunnel-tls",
      items: ["tls.crt", "tls.key", "ca.crt"].map((key) => ({ key, path: key })),
    });
    const variables = readPointer(deployment, "/spec/template/spec/containers/0/env");
    assert.ok(JSON.stringify(variables).includes('"fieldPath":"status.podIP"'));
  });

  it("open the ports of LocalWorkloads to proxies and pods of namespaces with sandboxes only", () => {
    const ingress = readPointer(manifest("NetworkPolicy"), "/spec/ingress");
    assert.ok(Array.isArray(ingress));
    assert.deepEqual(ingress.at(-1), {
      ports: [{ protocol: "TCP", port: 20_000, endPort: 20_999 }],
      from: [
        { podSelector: {} },
        { namespaceSelector: {}, podSelector: { matchLabels: { "sandbox.example.com/proxy": "true" } } },
        { namespaceSelector: { matchLabels: { "sandbox.example.com/enabled": "true" } } },
      ],
    });
    assert.deepEqual(readPointer(manifest("Service"), "/spec/ports"), [
      { name: "clients", port: 7443, targetPort: "clients", protocol: "TCP" },
      { name: "metrics", port: 9092, targetPort: "metrics", protocol: "TCP" },
    ]);
  });
});

describe("docs/reference/tunnel.md", () => {
  it("lists all metrics of the tunnel server", () => {
    const page = readFileSync(new URL("../../../docs/reference/tunnel.md", import.meta.url), "utf8");
    const registry = new Registry();
    register(registry);
    const listed = [...page.matchAll(/^\| `(tunnel_\w+)` +\| (\w+)/gm)].map(([, name, type]) => `${name} ${type}`);
    const metrics = [...registry.expose().matchAll(/^# TYPE (tunnel_\w+) (\w+)/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );

    assert.deepEqual(listed.toSorted(), metrics.toSorted());
  });
});

describeMonitoring({ extras: tunnelDefinition.extras ?? {}, register });
