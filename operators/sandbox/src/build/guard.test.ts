import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec } from "@homeostat/kubernetes/core/v1";
import type { EntryPatch } from "../api/sandbox.ts";
import { app, deployment, service } from "../testing/fork-baselines.ts";
import { forkInput, podPatch } from "../testing/fork-cases.ts";
import { deriveFork } from "./derive-fork.ts";
import { guardRules } from "./guard.ts";
import type { PatchPolicy } from "./patch-paths.ts";
import { isRefusal, type Refusal } from "./refusal.ts";

const noPolicy: PatchPolicy = { allowPatchPaths: [], denyPatchPaths: [] };

/** Derives a fork whose entry has one merge patch of the pod spec. */
function derive(pod: object, { spec = {}, policy = noPolicy }: { spec?: Partial<PodSpec>; policy?: PatchPolicy } = {}) {
  const value = podPatch(pod);
  const input = forkInput({
    baseline: { kind: "Deployment", object: deployment({ spec }) },
    services: [service("cart")],
    entry: { patches: [{ type: "Merge", value }] },
  });
  return deriveFork({ ...input, policy });
}

function refuse(...input: Parameters<typeof derive>): Refusal {
  const result = derive(...input);
  assert.ok(isRefusal(result), "the patch was accepted");
  return result;
}

/** Containers with one security context. */
function contexts(securityContext: object): object {
  return { containers: [{ ...app, securityContext }] };
}

interface Row {
  readonly rule: keyof typeof guardRules;
  readonly name: string;
  /** Patch of the pod spec. */
  readonly patch: object;
  /** Pod spec of the baseline. */
  readonly spec?: Partial<PodSpec>;
  /** Path below the pod spec. */
  readonly path: string;
  readonly value: string | undefined;
}

const context = "/containers/0/securityContext";

const rows: readonly Row[] = [
  {
    rule: "identityAndPlacement",
    name: "serviceAccountName",
    patch: { serviceAccountName: "admin" },
    path: "/serviceAccountName",
    value: '"admin"',
  },
  {
    rule: "identityAndPlacement",
    name: "a removed serviceAccountName",
    patch: { serviceAccountName: null, serviceAccount: null },
    path: "/serviceAccountName",
    value: undefined,
  },
  {
    rule: "identityAndPlacement",
    name: "serviceAccount, the old name",
    patch: { serviceAccount: "admin" },
    path: "/serviceAccount",
    value: '"admin"',
  },
  { rule: "identityAndPlacement", name: "nodeName", patch: { nodeName: "n1" }, path: "/nodeName", value: '"n1"' },
  {
    rule: "identityAndPlacement",
    name: "priorityClassName",
    patch: { priorityClassName: "system-node-critical" },
    path: "/priorityClassName",
    value: '"system-node-critical"',
  },
  {
    rule: "identityAndPlacement",
    name: "schedulerName",
    patch: { schedulerName: "mine" },
    path: "/schedulerName",
    value: '"mine"',
  },
  {
    rule: "identityAndPlacement",
    name: "a removed runtimeClassName",
    patch: { runtimeClassName: null },
    spec: { runtimeClassName: "gvisor" },
    path: "/runtimeClassName",
    value: undefined,
  },
  {
    rule: "serviceAccountToken",
    name: "automountServiceAccountToken",
    patch: { automountServiceAccountToken: true },
    path: "/automountServiceAccountToken",
    value: "true",
  },
  {
    rule: "serviceAccountToken",
    name: "a removed automountServiceAccountToken: false",
    patch: { automountServiceAccountToken: null },
    spec: { automountServiceAccountToken: false },
    path: "/automountServiceAccountToken",
    value: undefined,
  },
  ...["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"].map((field): Row => {
    return { rule: "hostNamespaces", name: field, patch: { [field]: true }, path: `/${field}`, value: "true" };
  }),
  {
    rule: "userNamespace",
    name: "hostUsers",
    patch: { hostUsers: true },
    spec: { hostUsers: false },
    path: "/hostUsers",
    value: "true",
  },
  {
    rule: "capabilities",
    name: "added capabilities",
    patch: contexts({ capabilities: { add: ["NET_ADMIN"] } }),
    path: `${context}/capabilities/add/0`,
    value: '"NET_ADMIN"',
  },
  {
    rule: "capabilities",
    name: "capabilities that are no longer dropped",
    patch: contexts({ capabilities: { drop: ["CHOWN"] } }),
    spec: { containers: [{ ...app, securityContext: { capabilities: { drop: ["ALL"] } } }] },
    path: `${context}/capabilities/drop`,
    value: '["CHOWN"]',
  },
  {
    rule: "privileged",
    name: "privileged",
    patch: contexts({ privileged: true }),
    path: `${context}/privileged`,
    value: "true",
  },
  {
    rule: "privileged",
    name: "privileged in a container that the patch adds",
    patch: { initContainers: [{ name: "setup", image: "i", securityContext: { privileged: true } }] },
    path: "/initContainers/0/securityContext/privileged",
    value: "true",
  },
  {
    rule: "hostProcess",
    name: "hostProcess",
    patch: contexts({ windowsOptions: { hostProcess: true } }),
    path: `${context}/windowsOptions/hostProcess`,
    value: "true",
  },
  {
    rule: "privilegeEscalation",
    name: "allowPrivilegeEscalation",
    patch: contexts({ allowPrivilegeEscalation: true }),
    path: `${context}/allowPrivilegeEscalation`,
    value: "true",
  },
  {
    rule: "privilegeEscalation",
    name: "a removed allowPrivilegeEscalation: false",
    patch: contexts({}),
    spec: { containers: [{ ...app, securityContext: { allowPrivilegeEscalation: false } }] },
    path: `${context}/allowPrivilegeEscalation`,
    value: undefined,
  },
  {
    rule: "rootUser",
    name: "runAsUser: 0 of a container",
    patch: contexts({ runAsUser: 0 }),
    spec: { securityContext: { runAsUser: 1000 } },
    path: `${context}/runAsUser`,
    value: "0",
  },
  {
    rule: "rootUser",
    name: "runAsUser: 0 of the pod",
    patch: { securityContext: { runAsUser: 0 } },
    path: "/securityContext/runAsUser",
    value: "0",
  },
  {
    rule: "rootUser",
    name: "a removed runAsUser",
    patch: { securityContext: null },
    spec: { securityContext: { runAsUser: 1000 } },
    path: "/securityContext/runAsUser",
    value: undefined,
  },
  {
    rule: "nonRoot",
    name: "runAsNonRoot: false",
    patch: contexts({ runAsNonRoot: false }),
    spec: { securityContext: { runAsNonRoot: true } },
    path: `${context}/runAsNonRoot`,
    value: "false",
  },
  {
    rule: "procMount",
    name: "procMount",
    patch: contexts({ procMount: "Unmasked" }),
    path: `${context}/procMount`,
    value: '"Unmasked"',
  },
  {
    rule: "confinement",
    name: "seccompProfile",
    patch: { securityContext: { seccompProfile: { type: "Unconfined" } } },
    path: "/securityContext/seccompProfile",
    value: '{"type":"Unconfined"}',
  },
  {
    rule: "confinement",
    name: "a removed appArmorProfile",
    patch: contexts({}),
    spec: { containers: [{ ...app, securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }] },
    path: `${context}/appArmorProfile`,
    value: undefined,
  },
  {
    rule: "sysctls",
    name: "sysctls",
    patch: { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
    path: "/securityContext/sysctls/0",
    value: '{"name":"kernel.msgmax","value":"1"}',
  },
  {
    rule: "hostPathVolumes",
    name: "a new hostPath",
    patch: { volumes: [{ name: "root", hostPath: { path: "/" } }] },
    path: "/volumes/0/hostPath",
    value: '{"path":"/"}',
  },
  {
    rule: "hostPathVolumes",
    name: "another path of a hostPath",
    patch: { volumes: [{ name: "logs", hostPath: { path: "/etc" } }] },
    spec: { volumes: [{ name: "logs", hostPath: { path: "/var/log" } }] },
    path: "/volumes/0/hostPath",
    value: '{"path":"/etc"}',
  },
  {
    rule: "projectedTokens",
    name: "a projected token",
    patch: { volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }] },
    path: "/volumes/0/projected/sources/0",
    value: '{"serviceAccountToken":{"path":"token"}}',
  },
  {
    rule: "csiVolumes",
    name: "a CSI volume",
    patch: { volumes: [{ name: "c", csi: { driver: "secrets-store.csi.k8s.io" } }] },
    path: "/volumes/0/csi",
    value: '{"driver":"secrets-store.csi.k8s.io"}',
  },
  ...["orders.shop.svc", "kubernetes.default", "cart", "orders.shop", "db.x.svc.cluster.local."].map((name): Row => {
    return {
      rule: "clusterHostAliases",
      name: `a host alias for ${name}`,
      patch: { hostAliases: [{ ip: "10.1.1.1", hostnames: [name] }] },
      path: "/hostAliases/0/hostnames/0",
      value: JSON.stringify(name),
    };
  }),
  {
    rule: "ephemeralContainers",
    name: "ephemeral containers",
    patch: { ephemeralContainers: [{ name: "debug", image: "debug:1", securityContext: { privileged: true } }] },
    path: "/ephemeralContainers",
    value: '[{"image":"debug:1","name":"debug","securityContext":{"privileged":true}}]',
  },
];

describe("the guard of patches", () => {
  for (const { rule, name, patch, spec = {}, path, value } of rows) {
    it(`refuses ${name}`, () => {
      const { reason, problems } = refuse(patch, { spec });
      const pointer = `/spec/template/spec${path}`;
      const change = value === undefined ? `remove ${pointer}` : `set ${pointer} to ${value}`;

      assert.equal(reason, "PatchForbidden");
      assert.ok(
        problems.some(({ message }) => message.startsWith(`patches ${change}: `)),
        JSON.stringify(problems),
      );
      const allowed = derive(patch, {
        spec,
        policy: { allowPatchPaths: ["/spec/template/spec"], denyPatchPaths: [] },
      });
      assert.ok(!isRefusal(allowed), rule);
    });
  }

  const forms: readonly EntryPatch[] = [
    { type: "Strategic", value: podPatch({ hostNetwork: true }) },
    { type: "Merge", value: podPatch({ hostNetwork: true }) },
    { type: "JSON", value: [{ op: "add", path: "/spec/template/spec/hostNetwork", value: true }] },
    {
      type: "JSON",
      value: [
        { op: "add", path: "/spec/template/spec/hostPID", value: true },
        { op: "move", from: "/spec/template/spec/hostPID", path: "/spec/template/spec/hostNetwork" },
      ],
    },
    {
      type: "JSON",
      value: [
        {
          op: "replace",
          path: "/spec/template/spec",
          value: { containers: [{ name: "app", image: "app:1" }], hostNetwork: true },
        },
      ],
    },
  ];
  for (const patch of forms) {
    it(`refuses a change in every form of patch (${JSON.stringify(patch).slice(0, 70)})`, () => {
      const input = forkInput({
        baseline: { kind: "Deployment", object: deployment({}) },
        services: [service("cart")],
        entry: { patches: [patch] },
      });

      const result = deriveFork({ ...input, policy: noPolicy });

      assert.ok(isRefusal(result));
      assert.equal(result.reason, "PatchForbidden");
      assert.ok(result.problems.some(({ message }) => message.includes("/spec/template/spec/hostNetwork to true")));
    });
  }

  it("accepts a host alias for a name outside of the cluster", () => {
    assert.ok(!isRefusal(derive({ hostAliases: [{ ip: "10.1.1.1", hostnames: ["db.example.com", "mainframe"] }] })));
  });

  it("has a row for each rule", () => {
    const untested = Object.keys(guardRules).filter((rule) => !rows.some((row) => row.rule === rule));

    assert.deepEqual(untested, []);
  });

  it("reports all violations at once, sorted", () => {
    const { problems } = refuse({ hostPID: true, ...contexts({ privileged: true }), nodeName: "n" });

    assert.deepEqual(
      problems.map(({ message }) => /\/spec\/template\/spec\/(\w+)/.exec(message)?.[1]),
      ["containers", "hostPID", "nodeName"],
    );
  });

  const accepted: readonly { name: string; patch: object; spec?: Partial<PodSpec> }[] = [
    { name: "fewer rights", patch: { hostNetwork: false }, spec: { hostNetwork: true } },
    {
      name: "rights that the baseline has",
      patch: { terminationGracePeriodSeconds: 1 },
      spec: {
        hostNetwork: true,
        hostPID: true,
        containers: [
          { ...app, securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] }, runAsUser: 0 } },
        ],
        volumes: [{ name: "root", hostPath: { path: "/" } }],
      },
    },
    {
      name: "a renamed volume with the same hostPath",
      patch: { volumes: [{ name: "other", hostPath: { path: "/var/log" } }] },
      spec: { volumes: [{ name: "logs", hostPath: { path: "/var/log" } }] },
    },
    {
      name: "a host alias of another domain",
      patch: { hostAliases: [{ ip: "10.1.1.1", hostnames: ["api.example.com"] }] },
    },
    { name: "the default seccomp profile", patch: { securityContext: { seccompProfile: { type: "RuntimeDefault" } } } },
    {
      name: "a removed runAsUser if root is forbidden",
      patch: { securityContext: { runAsUser: null } },
      spec: { securityContext: { runAsUser: 1000, runAsNonRoot: true } },
    },
    { name: "a ConfigMap volume", patch: { volumes: [{ name: "c", configMap: { name: "x" } }] } },
  ];
  for (const { name, patch, spec = {} } of accepted) {
    it(`accepts ${name}`, () => {
      const result = derive(patch, { spec });

      assert.ok(!isRefusal(result), JSON.stringify(result));
    });
  }

  const prefixes: readonly { name: string; allow: string; isAllowed: boolean }[] = [
    { name: "the path", allow: "/spec/template/spec/containers/0/securityContext/privileged", isAllowed: true },
    { name: "a prefix of it", allow: "/spec/template/spec/containers", isAllowed: true },
    { name: "the name of the element", allow: "/spec/template/spec/containers/app/securityContext", isAllowed: true },
    { name: "any element", allow: "/spec/template/spec/containers/*/securityContext/privileged", isAllowed: true },
    { name: "another element", allow: "/spec/template/spec/containers/log", isAllowed: false },
    { name: "a longer path", allow: "/spec/template/spec/containers/0/securityContext/privileged/x", isAllowed: false },
    { name: "a part of a name", allow: "/spec/template/spec/contain", isAllowed: false },
    { name: "an invalid pointer", allow: "/spec/~2", isAllowed: false },
  ];
  for (const { name, allow, isAllowed } of prefixes) {
    it(`${isAllowed ? "accepts" : "refuses"} a change if a policy allows ${name}`, () => {
      const result = derive(contexts({ privileged: true }), {
        policy: { allowPatchPaths: [allow], denyPatchPaths: [] },
      });

      assert.equal(isRefusal(result), !isAllowed);
    });
  }

  const denied: readonly { name: string; patch: object; deny: string; isDenied: boolean; spec?: Partial<PodSpec> }[] = [
    { name: "a changed field", patch: { dnsPolicy: "None" }, deny: "/spec/template/spec/dnsPolicy", isDenied: true },
    {
      name: "a field below",
      patch: contexts({ runAsUser: 5 }),
      deny: "/spec/template/spec/containers",
      isDenied: true,
    },
    {
      name: "a field of an added object",
      patch: { dnsConfig: { nameservers: ["10.0.0.1"] } },
      deny: "/spec/template/spec/dnsConfig/nameservers",
      isDenied: true,
    },
    {
      name: "a removed field",
      patch: { dnsPolicy: null },
      deny: "/spec/template/spec/dnsPolicy",
      isDenied: true,
      spec: { dnsPolicy: "Default" },
    },
    { name: "another field", patch: { dnsPolicy: "None" }, deny: "/spec/template/spec/dnsConfig", isDenied: false },
  ];
  for (const { name, patch, deny, isDenied, spec = {} } of denied) {
    it(`${isDenied ? "refuses" : "accepts"} ${name} if a policy forbids ${deny}`, () => {
      const policy = { allowPatchPaths: ["/spec"], denyPatchPaths: [deny] };
      const result = derive(patch, { spec, policy });

      assert.equal(isRefusal(result), isDenied);
      if (isRefusal(result)) assert.match(result.problems[0]?.message ?? "", /SandboxPolicy .* forbids/);
    });
  }

  it("restores fields that others rely on", () => {
    const value = {
      apiVersion: "apps/v2",
      kind: "DaemonSet",
      metadata: {
        name: "other",
        namespace: "kube-system",
        uid: "1",
        finalizers: ["example.com/never"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
        labels: { "sandbox.example.com/sandbox": "other", team: "a" },
        annotations: { "sandbox.example.com/template-hash": "x", note: "b" },
      },
      spec: { replicas: 50, selector: { matchLabels: { app: "cart" } } },
      status: { replicas: 3 },
    };
    const input = forkInput({
      baseline: { kind: "Deployment", object: deployment() },
      services: [service("cart")],
      entry: { patches: [{ type: "Merge", value }] },
    });

    const patched = deriveFork(input);
    const plain = deriveFork({ ...input, entry: { ...input.entry, patches: [] } });

    assert.ok(!isRefusal(patched) && !isRefusal(plain));
    const { labels, annotations, ...metadata } = patched.deployment.metadata;
    const { labels: plainLabels, annotations: plainAnnotations, ...plainMetadata } = plain.deployment.metadata;
    assert.deepEqual(metadata, plainMetadata);
    assert.deepEqual(labels, { ...plainLabels, team: "a" });
    assert.deepEqual(annotations, { ...plainAnnotations, note: "b" });
    assert.deepEqual(patched.deployment.spec, plain.deployment.spec);
    assert.deepEqual(Object.keys(patched.deployment).toSorted(), ["apiVersion", "kind", "metadata", "spec"]);
    assert.equal(patched.deployment.kind, "Deployment");
  });
});
