import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operatorManifests, runOperator } from "@homeostat/operator";
import { FakeClock, readPointer } from "@homeostat/core";
import type { Registry } from "@homeostat/runtime";
import { routeServerDefinition, sandboxOperator } from "@homeostat/sandbox-operator";
import { describeMonitoring } from "@homeostat/operator-testing";
import { TableFeed } from "./feed/table-feed.ts";
import { RouteServerMetrics } from "./metrics/route-server-metrics.ts";
import { routeServerOperator } from "./operator.ts";
import { LiveProxies } from "./proxies/live-proxies.ts";
import { PublishTimes } from "./proxies/publish-times.ts";

const operator = routeServerOperator();

async function call(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runOperator(operator, {
    argv,
    env: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("the flags of the route server", () => {
  it("are listed by --help with their defaults", async () => {
    const { code, out } = await call("--help");
    assert.equal(code, 0);
    for (const part of ["--stream-port", "--query-port", "--cert-dir", "--replica", "--service", "$POD_NAME", "7777"]) {
      assert.ok(out.includes(part), part);
    }
  });

  it("are refused with wrong values, all at once", async () => {
    const { code, err } = await call(
      "--stream-port=70000",
      "--query-port=x",
      "--service=A_B",
      "--config-map=-",
      "--system-namespace=a.b",
      "--stream-prot=1",
    );
    assert.equal(code, 2);
    for (const part of [
      "--stream-port is",
      "--query-port is",
      "--service is",
      "--config-map is",
      "--system-namespace is",
      "unknown flag --stream-prot",
    ]) {
      assert.ok(err.includes(part), `${part} in\n${err}`);
    }
  });
});

describe("the manifests of the route server", () => {
  it("are those that the sandbox operator installs", () => {
    const own = operatorManifests(operator, { createNamespace: false });
    const installed = operatorManifests(sandboxOperator());
    for (const object of own) {
      const same = installed.find(
        ({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name,
      );
      assert.deepEqual(same, object);
    }
    assert.ok(own.length >= 9);
  });

  it("grant exactly what the route server needs", () => {
    const rules = operatorManifests(operator).flatMap(({ kind, metadata, rules: each }) =>
      kind === "ClusterRole" || kind === "Role" ? [[metadata.name, each]] : [],
    );
    const watch = ["list", "watch"];
    assert.deepEqual(rules, [
      [
        "sandbox-route-server",
        [
          { apiGroups: [""], resources: ["services"], verbs: watch },
          { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
          { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: watch },
          { apiGroups: ["sandbox.example.com"], resources: ["routetables"], verbs: watch },
          { apiGroups: ["sandbox.example.com"], resources: ["routetables/status"], verbs: ["patch"] },
        ],
      ],
      [
        "sandbox-route-server-own",
        [
          {
            apiGroups: [""],
            resources: ["configmaps"],
            resourceNames: ["sandbox-config", "sandbox-preview-keys"],
            verbs: watch,
          },
        ],
      ],
    ]);
  });

  it("run two replicas that mount the certificate but not the key of the CA", () => {
    const deployment = operatorManifests(operator).find(({ kind }) => kind === "Deployment");
    assert.equal(readPointer(deployment, "/spec/replicas"), 2);
    const secret = readPointer(deployment, "/spec/template/spec/volumes/0/secret");
    assert.deepEqual(secret, {
      secretName: "sandbox-ca",
      items: [
        { key: "tls.crt", path: "tls.crt" },
        { key: "tls.key", path: "tls.key" },
      ],
    });
  });
});

describeMonitoring({
  extras: routeServerDefinition.extras ?? {},
  register: (registry: Registry) => {
    const clock = new FakeClock();
    const feed = new TableFeed({ epoch: "one" });
    const proxies = new LiveProxies({ clock, onChange: () => undefined });
    const times = new PublishTimes({ feed, proxies: () => proxies, clock, onPublished: () => undefined });
    new RouteServerMetrics().register(registry, { feed, proxies, times, certificateExpiry: () => undefined });
  },
});
