import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Request, Response } from "@homeostat/client";
import type { AccessRule } from "@homeostat/runtime";
import { sample } from "../testing/sample-operator.ts";
import { defineOperator } from "../definition/define-operator.ts";
import { operatorChart } from "../chart/operator-chart.ts";
import { operatorManifests } from "../manifests/operator-manifests.ts";
import { accessRecorder } from "./access-recorder.ts";
import { compareAccess } from "./compare-access.ts";
import { operatorAccess } from "./operator-access.ts";
import { policyRules, withoutCovered } from "./policy-rules.ts";

const print = (rules: readonly AccessRule[]): string[] =>
  rules.map(({ group, resource, subresource, verbs, names, namespace }) =>
    [
      `${resource}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`,
      verbs.join(","),
      ...(names === undefined ? [] : [`named ${names.join(",")}`]),
      ...(namespace === undefined ? [] : [`in ${namespace}`]),
    ].join(" "),
  );

describe("operatorAccess", () => {
  it("returns the permissions for controllers, leader election, events and certificates", () => {
    assert.deepEqual(print(operatorAccess(sample)).toSorted(), [
      "configmaps list,watch",
      "customresourcedefinitions.apiextensions.k8s.io get,update named orders.shop.example.com",
      "deployments.apps create,delete,get,list,patch,watch",
      "events.events.k8s.io create,patch",
      "leases.coordination.k8s.io create in shop-operator-system",
      "leases.coordination.k8s.io get,update named shop-operator in shop-operator-system",
      "orders.shop.example.com get,list,watch",
      "orders.shop.example.com/finalizers update",
      "orders.shop.example.com/status patch",
      "secrets create in shop-operator-system",
      "secrets get,update named shop-operator-webhook-certificates in shop-operator-system",
      "shops.shop.example.com list,watch",
      "validatingwebhookconfigurations.admissionregistration.k8s.io get,update named shop-operator",
    ]);
  });

  it("names the Lease after the installation and the suffix of the definition", () => {
    const { name, resources, conversions } = sample;
    const operator = defineOperator({
      name,
      resources,
      conversions,
      leaseSuffix: "example.com",
      controllers: sample.parts().controllers,
    });

    const rules = print(operatorAccess(operator, { instance: "two", namespace: "here", webhooks: false }));

    assert.ok(rules.includes("leases.coordination.k8s.io get,update named two.example.com in here"), rules.join("; "));
  });

  it("follows the settings: another webhook needs another configuration", () => {
    const rules = print(operatorAccess(sample, { settings: { isStrict: true } }));

    assert.ok(
      rules.includes("mutatingwebhookconfigurations.admissionregistration.k8s.io get,update named shop-operator"),
    );
  });

  it("restricts permissions to the watched namespaces", () => {
    const rules = print(operatorAccess(sample, { watchNamespaces: ["a"], webhooks: false })).toSorted();

    assert.deepEqual(rules, [
      "configmaps list,watch in a",
      "deployments.apps create,delete,get,list,patch,watch in a",
      "events.events.k8s.io create,patch in a",
      // Shops are cluster-scoped, so events about them are in this namespace.
      "events.events.k8s.io create,patch in default",
      "events.events.k8s.io create,patch in shop-operator-system",
      "leases.coordination.k8s.io create in shop-operator-system",
      "leases.coordination.k8s.io get,update named shop-operator in shop-operator-system",
      "orders.shop.example.com get,list,watch in a",
      "orders.shop.example.com/finalizers update in a",
      "orders.shop.example.com/status patch in a",
      "shops.shop.example.com list,watch",
    ]);
  });

  it("includes the permissions of webhooks only if webhooks are enabled", () => {
    const { name, resources, conversions } = sample;
    const type = {
      group: "authorization.k8s.io",
      version: "v1",
      plural: "subjectaccessreviews",
      scope: "Cluster",
    } as const;
    const operator = defineOperator({
      name,
      resources,
      conversions,
      webhooks: sample.parts().webhooks,
      webhookAccess: { rules: [{ type, verbs: ["create"] }] },
    });
    const permission = "subjectaccessreviews.authorization.k8s.io create";
    const role = (webhooks: boolean): boolean =>
      operatorManifests(operator, { webhooks }).some(
        ({ kind, metadata }) => kind === "ClusterRole" && metadata.name === `${name}-webhooks`,
      );

    assert.ok(print(operatorAccess(operator)).includes(permission));
    assert.ok(print(operatorAccess(operator, { certificates: "cert-manager" })).includes(permission));
    assert.ok(!print(operatorAccess(operator, { webhooks: false })).includes(permission));
    assert.deepEqual([role(true), role(false)], [true, false]);
    assert.match(
      operatorChart(operator).get("templates/rbac.yaml") ?? "",
      /\{\{- if \.Values\.webhook\.enabled \}\}\n---/,
    );
  });

  it("needs no permissions for certificates of cert-manager", () => {
    const rules = print(operatorAccess(sample, { certificates: "cert-manager" }));

    assert.deepEqual(
      rules.filter((rule) => /secrets|webhookconfigurations|customresource/.test(rule)),
      [],
    );
  });
});

describe("policyRules", () => {
  it("merges resources with the same verbs into one rule, in a stable order", () => {
    const rules: AccessRule[] = [
      { group: "b", resource: "y", verbs: ["list", "get"] },
      { group: "", resource: "secrets", verbs: ["get"], names: ["z", "a"] },
      { group: "b", resource: "x", verbs: ["get", "list"] },
      { group: "b", resource: "x", subresource: "status", verbs: ["patch"] },
    ];
    const expected = [
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["a", "z"], verbs: ["get"] },
      { apiGroups: ["b"], resources: ["x", "y"], verbs: ["get", "list"] },
      { apiGroups: ["b"], resources: ["x/status"], verbs: ["patch"] },
    ];

    assert.deepEqual(policyRules(rules), expected);
    assert.deepEqual(policyRules(rules.toReversed()), expected);
  });
});

describe("withoutCovered", () => {
  it("removes the verbs that a wider rule already allows", () => {
    const wide: AccessRule = { group: "", resource: "pods", verbs: ["get"] };
    const inOne: AccessRule = { ...wide, verbs: ["get", "list"], namespace: "a" };
    const named: AccessRule = { ...wide, names: ["x"] };

    assert.deepEqual(withoutCovered([wide, inOne, named], [wide]), [wide, { ...inOne, verbs: ["list"] }]);
  });
});

describe("accessRecorder", () => {
  async function record(requests: readonly (Partial<Request> & { path: string; status?: number })[]) {
    const recorder = accessRecorder();
    for (const { status = 200, method = "GET", ...request } of requests) {
      const response: Response = { status, headers: {}, body: emptyBody };
      await recorder.layer({ send: async () => response }).send({ method, ...request });
    }
    return recorder;
  }
  const words = ({
    verb,
    group,
    resource,
    subresource,
    namespace,
    name,
  }: ReturnType<ReturnType<typeof accessRecorder>["used"]>[number]): string =>
    [verb, group, resource, subresource, namespace, name].join("|");

  it("derives verb and resource from a request as the API server does", async () => {
    const recorder = await record([
      { path: "/api/v1/pods?limit=500" },
      { path: "/api/v1/pods?watch=true" },
      { path: "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db&limit=500" },
      { path: "/api/v1/services?watch=true&fieldSelector=spec.type%3Dn" },
      { path: "/api/v1/namespaces/a/pods/b" },
      { path: "/api/v1/namespaces/a/pods/b/log" },
      { path: "/api/v1/namespaces/a" },
      { path: "/api/v1/namespaces" },
      { path: "/api/v1/namespaces/a/status", method: "PATCH" },
      { path: "/apis/apps/v1/namespaces/a/deployments", method: "POST", status: 201 },
      { path: "/apis/apps/v1/namespaces/a/deployments/b/status", method: "PUT" },
      { path: "/apis/apps/v1/namespaces/a/deployments/b", method: "DELETE" },
      { path: "/apis/apps/v1/namespaces/a/deployments", method: "DELETE" },
      { path: "/version" },
      { path: "/apis" },
      { path: "/apis/apps/v1" },
      { path: "/readyz" },
    ]);

    assert.deepEqual(recorder.used().map(words), [
      "list||pods|||",
      "watch||pods|||",
      "list||pods||a|b",
      "watch||services|||",
      "get||pods||a|b",
      "get||pods|log|a|b",
      "get||namespaces|||a",
      "list||namespaces|||",
      "patch||namespaces|status||a",
      "create|apps|deployments||a|",
      "update|apps|deployments|status|a|b",
      "delete|apps|deployments||a|b",
      "deletecollection|apps|deployments||a|",
    ]);
    assert.deepEqual(recorder.refused(), []);
  });

  it("records create for an apply that created the object", async () => {
    const apply = { method: "PATCH", headers: { "content-type": "application/apply-patch+yaml" } } as const;
    const path = "/api/v1/namespaces/a/pods/b";

    const existing = await record([{ ...apply, path }]);
    const created = await record([{ ...apply, path, status: 201 }]);

    assert.deepEqual(
      existing.used().map(({ verb }) => verb),
      ["patch"],
    );
    assert.deepEqual(
      created.used().map(({ verb }) => verb),
      ["patch", "create"],
    );
  });

  it("records refused permissions", async () => {
    const recorder = await record([{ path: "/api/v1/secrets", status: 403 }]);

    assert.deepEqual(recorder.refused().map(words), ["list||secrets|||"]);
  });
});

describe("compareAccess", () => {
  const rules: AccessRule[] = [
    { group: "", resource: "pods", verbs: ["get", "list"], namespace: "a" },
    { group: "", resource: "secrets", verbs: ["get"], names: ["x"] },
  ];
  const pod = { group: "", resource: "pods", namespace: "a" };

  it("returns no differences when granted and used permissions are the same", () => {
    const used = [
      { ...pod, verb: "get", name: "b" },
      { ...pod, verb: "list" },
      { verb: "get", group: "", resource: "secrets", namespace: "c", name: "x" },
      { verb: "create", group: "authorization.k8s.io", resource: "selfsubjectaccessreviews" },
    ];

    assert.deepEqual(compareAccess(rules, used), { missing: [], unused: [] });
  });

  it("returns permissions that are missing and permissions that are unused", () => {
    const used = [
      { ...pod, verb: "get", namespace: "other", name: "b" },
      { ...pod, verb: "patch", subresource: "status", name: "b" },
      { verb: "get", group: "", resource: "secrets", namespace: "c", name: "y" },
    ];

    assert.deepEqual(compareAccess(rules, used), {
      missing: ["get pods in other", "patch pods/status in a", "get secrets in c"],
      unused: ["get pods in a", "list pods in a", "get secrets"],
    });
  });
});

const emptyBody: Response["body"] = {
  cancel() {},
  async *[Symbol.asyncIterator]() {},
};
