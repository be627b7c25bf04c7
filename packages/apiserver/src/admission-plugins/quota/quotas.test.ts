import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { named, readerOf, refusal, requestFor } from "../../testing/admission-request.ts";
import { ResourceQuotas } from "./quotas.ts";
import { isInScope } from "./scopes.ts";
import { measuredResource, usageOf } from "./usage.ts";

const quota = (hard: object, rest: object = {}): JsonRecord => named("quota", { spec: { hard, ...rest } }, "team");
const pod = (name: string, requests: object = {}, rest: object = {}): JsonRecord =>
  named(name, { spec: { containers: [{ name: "c", resources: { requests } }] }, ...rest }, "team");
const texts = (resource: string, object: unknown): Record<string, string> =>
  Object.fromEntries([...usageOf(resource, object, 0)].map(([name, amount]) => [name, amount.canonical()]));

describe("usageOf", () => {
  it("returns the requests of a running pod, and only its count after that", () => {
    assert.deepEqual(texts("pods", pod("a", { cpu: "100m", "a.example/gpu": "1" })), {
      "count/pods": "1",
      pods: "1",
      cpu: "100m",
      "requests.cpu": "100m",
      "requests.a.example/gpu": "1",
    });
    assert.deepEqual(texts("pods", pod("a", { cpu: "1" }, { status: { phase: "Succeeded" } })), { "count/pods": "1" });
  });

  it("counts ports of Services and bytes of claims", () => {
    const ports = [{ port: 1, nodePort: 30001 }, { port: 2 }];
    assert.equal(texts("services", { spec: { type: "NodePort", ports } })["services.nodeports"], "2");
    const balanced = { spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports } };
    assert.equal(texts("services", balanced)["services.nodeports"], "1");
    const claim = { spec: { storageClassName: "fast", resources: { requests: { storage: "1500m" } } } };
    assert.equal(texts("persistentvolumeclaims", claim)["requests.storage"], "2");
    assert.equal(
      texts("persistentvolumeclaims", claim)["fast.storageclass.storage.k8s.io/persistentvolumeclaims"],
      "1",
    );
    assert.deepEqual(texts("deployments.apps", {}), { "count/deployments.apps": "1" });
  });

  it("belongs to the resource that measuredResource returns for a name", () => {
    const cases = {
      "count/deployments.apps": "deployments.apps",
      secrets: "secrets",
      "requests.storage": "persistentvolumeclaims",
      "requests.cpu": "pods",
      "services.nodeports": "services",
      "requests.example.com/gpu": "pods",
      "requests.fast.storageclass.storage.k8s.io/requests.storage": "persistentvolumeclaims",
    };
    for (const [name, resource] of Object.entries(cases)) assert.equal(measuredResource(name), resource);
    assert.equal(measuredResource("made-up"), undefined);
  });
});

describe("isInScope", () => {
  it("requires all scopes of a quota", () => {
    const bare = pod("a");
    assert.equal(isInScope(quota({}, { scopes: ["BestEffort", "NotTerminating"] }), "pods", bare), true);
    assert.equal(isInScope(quota({}, { scopes: ["BestEffort", "Terminating"] }), "pods", bare), false);
    const classes = {
      scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
    };
    assert.equal(isInScope(quota({}, classes), "pods", { spec: { priorityClassName: "high" } }), true);
    assert.equal(isInScope(quota({}, classes), "pods", bare), false);
    assert.equal(isInScope(quota({}, { scopes: ["BestEffort"] }), "secrets", {}), false);
  });
});

describe("ResourceQuotas", () => {
  const quotasOf = (...objects: readonly (readonly [string, JsonRecord])[]): ResourceQuotas => {
    const byResource: Record<string, JsonRecord[]> = {};
    for (const [resource, object] of objects) (byResource[resource] ??= []).push(object);
    return new ResourceQuotas({ reader: readerOf(byResource), clock: { now: () => 0 } });
  };
  const check = (quotas: ResourceQuotas, request: AdmissionRequest): Promise<string | undefined> =>
    refusal(() => quotas.step.atWrite?.(request));

  it("refuse writes that exceed a quota, counted from stored objects", async () => {
    const quotas = quotasOf(
      ["resourcequotas", quota({ pods: "1", "requests.cpu": "1" })],
      ["pods", pod("there", { cpu: "600m" })],
    );

    assert.equal(
      await check(quotas, requestFor("pods", pod("a", { cpu: "500m" }))),
      '403 pods "a" is forbidden: exceeded quota: quota, requested: pods=1,requests.cpu=500m, used: pods=1,requests.cpu=600m, limited: pods=1,requests.cpu=1',
    );
    assert.equal(
      await check(quotas, requestFor("pods", pod("a"))),
      '403 pods "a" is forbidden: failed quota: quota: must specify requests.cpu for: c',
    );
    assert.equal(await check(quotas, requestFor("configmaps", named("a"))), undefined);
  });

  it("charge an update for the increase", async () => {
    const service = (ports: number): JsonRecord =>
      named(
        "s",
        {
          metadata: { resourceVersion: "1" },
          spec: { type: "NodePort", ports: Array.from({ length: ports }, () => ({})) },
        },
        "team",
      );
    const quotas = quotasOf(
      ["resourcequotas", quota({ services: "1", "services.nodeports": "2" })],
      ["services", service(2)],
    );
    const update = (to: number): AdmissionRequest =>
      requestFor("services", service(to), { operation: "UPDATE", oldObject: service(2) });

    assert.equal(await check(quotas, update(2)), undefined);
    assert.match((await check(quotas, update(3))) ?? "", /requested: services.nodeports=1, used: services.nodeports=2/);
  });

  it("check dry runs, although they are not written", async () => {
    const quotas = quotasOf(["resourcequotas", quota({ "count/secrets": "0" })]);

    const dry = requestFor("secrets", named("a"), { isDryRun: true });
    assert.match((await refusal(() => quotas.step.validate?.(dry))) ?? "", /exceeded quota/);
    assert.equal(await refusal(() => quotas.step.validate?.(requestFor("secrets", named("a")))), undefined);
  });

  it("return statuses that are out of date", () => {
    const stored = quota({ configmaps: "3", "requests.cpu": "2" });
    const objects = [
      ["pods", pod("a", { cpu: "300m" })],
      ["pods", pod("b", { cpu: "0.5" })],
      ["configmaps", named("c", {}, "team")],
    ] as const;
    const status = {
      hard: { configmaps: "3", "requests.cpu": "2" },
      used: { configmaps: "1", "requests.cpu": "800m" },
    };

    assert.deepEqual(quotasOf(["resourcequotas", stored], ...objects).outdated("team"), [
      { namespace: "team", name: "quota", status },
    ]);
    assert.deepEqual(quotasOf(["resourcequotas", { ...stored, status }], ...objects).outdated("team"), []);
  });
});
