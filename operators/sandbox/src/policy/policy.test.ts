import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SandboxPolicyInput } from "../api/sandbox-policy.ts";
import type { SandboxInput } from "../api/sandbox.ts";
import { localWorkloadWith, namespace, policyWith, routeGroupWith, sandboxWith } from "../testing/objects.ts";
import { type LimitedObject, policyDenials, type PolicyWorld, type SandboxCounts } from "./denials.ts";
import { combinePolicies, type EffectivePolicy } from "./effective-policy.ts";
import { isOutboundAllowed } from "./outbound.ts";

type Spec = SandboxPolicyInput["spec"];
const enabled = { "sandbox.example.com/enabled": "true" };

const combined = (specs: readonly Spec[], labels: Record<string, string> = {}, name = namespace): EffectivePolicy =>
  combinePolicies({ name, labels, policies: specs.map((spec, index) => policyWith(spec, `p${index}`)) });

describe("combinePolicies", () => {
  it("has the documented defaults", () => {
    const { quota, maxTtlSeconds, allowLocal, allowPublicEndpoints, interception, ...rest } = combined([{}]);

    assert.deepEqual(
      [quota.sandboxes, quota.perUser, String(quota.cpu), String(quota.memory), quota.pods],
      [50, 5, "20", "20Gi", 100],
    );
    assert.deepEqual([maxTtlSeconds, allowLocal, allowPublicEndpoints, interception], [undefined, true, false, "Auto"]);
    assert.deepEqual([rest.allowedTargets, rest.allowedImages, rest.outboundAllow], [undefined, undefined, undefined]);
    assert.deepEqual([rest.deniedTargets, rest.allowedFromNamespaces, rest.provisionServiceAccounts], [[], [], []]);
  });

  const usable: readonly (readonly [title: string, policy: EffectivePolicy, reason: string | undefined])[] = [
    ["without policy and label", combined([]), "NamespaceNotEnabled"],
    ["without policy, with the label", combined([], enabled), undefined],
    ["with another value of the label", combined([], { "sandbox.example.com/enabled": "yes" }), "NamespaceNotEnabled"],
    ["with a policy", combined([{}]), undefined],
    ["with a disabled policy", combined([{ enabled: true }, { enabled: false }], enabled), "PolicyDisabled"],
    ...["kube-system", "kube-public", "kube-node-lease", "sandbox-system"].map(
      (name) => [`named ${name}`, combined([{ enabled: true }], enabled, name), "NamespaceForbidden"] as const,
    ),
  ];
  for (const [title, policy, reason] of usable) {
    it(`decides whether a namespace ${title} can be used`, () => {
      assert.equal(policy.unusable, reason);
    });
  }

  it("joins what policies allow, lets denials win and takes the lowest limits", () => {
    const policy = combined([
      {
        allowedImages: ["a/*"],
        allowLocal: true,
        quota: { sandboxes: 10, cpu: "4" },
        maxTTL: "2d",
        interception: "Mesh",
      },
      {
        allowedImages: ["b/*"],
        allowLocal: false,
        allowPublicEndpoints: true,
        quota: { sandboxes: 20, cpu: 3 },
        maxTTL: 3600,
      },
      { quota: { pods: 7 }, interception: "None" },
    ]);

    assert.deepEqual(policy.allowedImages, ["a/*", "b/*"]);
    assert.deepEqual([policy.allowLocal, policy.allowPublicEndpoints], [false, true]);
    assert.deepEqual(
      [policy.quota.sandboxes, String(policy.quota.cpu), policy.quota.pods, policy.quota.perUser],
      [10, "3", 7, 5],
    );
    assert.deepEqual([policy.maxTtlSeconds, policy.interception], [3600, "Mesh"]);
    assert.deepEqual(policy.policies, ["p0", "p1", "p2"]);
  });

  it("does not depend on the order of the policies", () => {
    const policies = [policyWith({ interception: "None" }, "b"), policyWith({ interception: "Mesh" }, "a")];

    const effective = [policies, policies.toReversed()].map((each) =>
      combinePolicies({ name: namespace, labels: {}, policies: each }),
    );

    assert.deepEqual(effective[0], effective[1]);
    assert.equal(effective[0]?.interception, "Mesh");
  });
});

interface Situation {
  readonly shop?: readonly Spec[];
  readonly other?: readonly Spec[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly counts?: SandboxCounts;
}

function denied(
  object: LimitedObject,
  { shop = [{}], other, labels = { app: "cart" }, counts }: Situation = {},
): string[] {
  const policies = new Map<string, EffectivePolicy>([
    ["shop", combined(shop, { team: "a" })],
    ...(other === undefined ? [] : [["other", combined(other, {}, "other")] as const]),
    ["kube-system", combined([{}], enabled, "kube-system")],
  ]);
  const world: PolicyWorld = { policyOf: (name) => policies.get(name), labelsOf: () => labels };
  return policyDenials(object, { namespace, world, counts }).map(({ code, path }) => `${code} ${path}`);
}

const cart = { name: "cart", targetRef: { name: "cart" } };
const fork = (entry: Partial<NonNullable<SandboxInput["spec"]["services"]>[number]> = {}) =>
  sandboxWith({ services: [{ ...cart, ...entry }] });
const foreign = fork({ targetRef: { name: "cart", namespace: "other" } });
const targetRef = "spec.services[0].targetRef";
const patch = (value: object, type: "Strategic" | "JSON" = "Strategic") =>
  fork({ patches: [{ type, value: JSON.parse(JSON.stringify(value)) }] });
const podPatch = (spec: object) => patch({ spec: { template: { spec } } });

describe("policyDenials for a Sandbox", () => {
  const rows: readonly (readonly [
    title: string,
    object: LimitedObject,
    situation: Situation,
    codes: readonly string[],
  ])[] = [
    ["allows a fork under an empty policy", fork(), {}, []],
    ["allows an empty sandbox", sandboxWith(), { shop: [] }, []],
    ["denies a namespace that is not enabled", fork(), { shop: [] }, [`NamespaceNotEnabled ${targetRef}`]],
    ["denies a disabled namespace", fork(), { shop: [{ enabled: false }] }, [`PolicyDisabled ${targetRef}`]],
    [
      "denies system namespaces",
      fork({ targetRef: { name: "dns", namespace: "kube-system" } }),
      {},
      [`NamespaceForbidden ${targetRef}`, `ForeignNamespaceDenied ${targetRef}`],
    ],
    ["denies missing namespaces", foreign, {}, [`NamespaceMissing ${targetRef}`]],
    ["denies other namespaces", foreign, { other: [{}] }, [`ForeignNamespaceDenied ${targetRef}`]],
    ["allows other namespaces by name", foreign, { other: [{ allowedFromNamespaces: [{ name: "shop" }] }] }, []],
    [
      "allows other namespaces by label",
      foreign,
      { other: [{ allowedFromNamespaces: [{ selector: { matchLabels: { team: "a" } } }] }] },
      [],
    ],
    [
      "denies other namespaces by label",
      foreign,
      { other: [{ allowedFromNamespaces: [{ selector: { matchLabels: { team: "b" } } }] }] },
      [`ForeignNamespaceDenied ${targetRef}`],
    ],
    [
      "applies the policies of the target's namespace",
      foreign,
      { shop: [{ deniedTargets: [{ name: "*" }] }], other: [{ allowedFromNamespaces: [{ name: "shop" }] }] },
      [],
    ],
    ["denies targets by name", fork(), { shop: [{ deniedTargets: [{ name: "ca*" }] }] }, [`TargetDenied ${targetRef}`]],
    [
      "denies targets although they are allowed",
      fork(),
      { shop: [{ allowedTargets: [{ name: "*" }] }, { deniedTargets: [{ kind: "Deployment" }] }] },
      [`TargetDenied ${targetRef}`],
    ],
    [
      "denies targets by label",
      fork(),
      { shop: [{ deniedTargets: [{ selector: { matchLabels: { app: "cart" } } }] }] },
      [`TargetDenied ${targetRef}`],
    ],
    [
      "denies targets that are not listed",
      fork(),
      { shop: [{ allowedTargets: [{ name: "orders" }] }] },
      [`TargetNotAllowed ${targetRef}`],
    ],
    [
      "denies all targets for an empty list",
      fork(),
      { shop: [{ allowedTargets: [] }] },
      [`TargetNotAllowed ${targetRef}`],
    ],
    [
      "allows targets that one of two policies lists",
      fork(),
      { shop: [{ allowedTargets: [{ name: "orders" }] }, { allowedTargets: [{ name: "cart" }] }] },
      [],
    ],
    [
      "compares kinds of targets",
      fork({ targetRef: { kind: "StatefulSet", name: "cart" } }),
      { shop: [{ allowedTargets: [{ kind: "Deployment" }] }] },
      [`TargetNotAllowed ${targetRef}`],
    ],
    [
      "denies images",
      fork({ containers: [{ name: "app", image: "evil:1" }] }),
      { shop: [{ allowedImages: ["shop/*"] }] },
      ["ImageNotAllowed spec.services[0].containers[0].image"],
    ],
    [
      "allows images, and those of the baseline",
      fork({ containers: [{ name: "app", image: "shop/cart:1" }, { name: "proxy" }] }),
      { shop: [{ allowedImages: ["shop/*"] }] },
      [],
    ],
    [
      "denies images of patches",
      podPatch({ containers: [{ name: "app", image: "evil:1" }] }),
      { shop: [{ allowedImages: ["shop/*"] }] },
      ["ImageNotAllowed spec.services[0].patches[0].value"],
    ],
    [
      "denies images of JSON patches",
      patch([{ op: "replace", path: "/spec/template/spec/initContainers/0/image", value: "evil:1" }], "JSON"),
      { shop: [{ allowedImages: ["shop/*"] }] },
      ["ImageNotAllowed spec.services[0].patches[0].value"],
    ],
    [
      "denies images of hooks",
      sandboxWith({ provision: [{ name: "db", create: { image: "evil:1" } }] }),
      { shop: [{ allowedImages: ["shop/*"] }] },
      ["ImageNotAllowed spec.provision[0].create.image"],
    ],
    [
      "denies ServiceAccounts of hooks",
      sandboxWith({ provision: [{ name: "db", create: { image: "i", serviceAccountName: "x" } }] }),
      {},
      ["ServiceAccountNotAllowed spec.provision[0].create.serviceAccountName"],
    ],
    [
      "allows listed ServiceAccounts",
      sandboxWith({ provision: [{ name: "db", create: { image: "i", serviceAccountName: "x" } }] }),
      { shop: [{ provisionServiceAccounts: ["x"] }] },
      [],
    ],
    ["denies a long ttl", sandboxWith({ ttl: "2d" }), { shop: [{ maxTTL: "1d" }] }, ["TtlTooLong spec.ttl"]],
    ["denies a ttl without end", sandboxWith({ ttl: 0 }), { shop: [{ maxTTL: "1d" }] }, ["TtlTooLong spec.ttl"]],
    ["allows a ttl up to the limit", sandboxWith({ ttl: "24h" }), { shop: [{ maxTTL: "1d" }] }, []],
    [
      "denies more sandboxes than a namespace allows",
      sandboxWith(),
      { shop: [{ quota: { sandboxes: 3 } }], counts: { inNamespace: 3, ofUser: 0 } },
      ["QuotaSandboxes metadata.namespace"],
    ],
    [
      "denies more sandboxes than a user may have",
      sandboxWith(),
      { counts: { inNamespace: 5, ofUser: 5 } },
      ["QuotaPerUser metadata.namespace"],
    ],
    ["allows the last sandbox", sandboxWith(), { counts: { inNamespace: 49, ofUser: 4 } }, []],
    [
      "denies public endpoints",
      sandboxWith({ endpoints: [{ name: "a", target: "http://a.shop.svc", auth: "None" }] }),
      {},
      ["PublicEndpointDenied spec.endpoints[0].auth"],
    ],
    [
      "allows public endpoints if a policy does",
      sandboxWith({ endpoints: [{ name: "a", target: "http://a.shop.svc", auth: "None" }] }),
      { shop: [{ allowPublicEndpoints: true }] },
      [],
    ],
    [
      "denies endpoints of other namespaces",
      sandboxWith({ endpoints: [{ name: "a", target: "http://a.other.svc" }] }),
      { other: [{}] },
      ["ForeignNamespaceDenied spec.endpoints[0].target"],
    ],
  ];
  for (const [title, object, situation, codes] of rows) {
    it(title, () => {
      assert.deepEqual(denied(object, situation), codes);
    });
  }

  it("denies everything in a forbidden namespace", () => {
    const world: PolicyWorld = { policyOf: () => undefined, labelsOf: () => undefined };

    for (const object of [sandboxWith(), routeGroupWith(), localWorkloadWith()]) {
      const codes = policyDenials(object, { namespace: "kube-system", world }).map(({ code }) => code);

      assert.deepEqual(codes, ["NamespaceForbidden"]);
    }
  });

  it("leaves rules with labels open while the workload does not exist", () => {
    const selector = { matchLabels: { app: "cart" } };
    const missing = (shop: readonly Spec[]): string[] => {
      const world: PolicyWorld = { policyOf: () => combined(shop), labelsOf: () => undefined };
      return policyDenials(fork(), { namespace, world }).map(({ code }) => code);
    };

    assert.deepEqual(missing([{ deniedTargets: [{ selector }] }]), []);
    assert.deepEqual(missing([{ allowedTargets: [{ selector }] }]), []);
    assert.deepEqual(missing([{ allowedTargets: [{ name: "x", selector }] }]), ["TargetNotAllowed"]);
  });

  it("gives a reason and a next step for each denial", () => {
    const world: PolicyWorld = { policyOf: () => combined([]), labelsOf: () => undefined };

    const [denial] = policyDenials(fork(), { namespace, world });

    assert.equal(
      denial?.message,
      "namespace shop is not enabled for sandboxes; ask an administrator to create a SandboxPolicy in it or to set the label sandbox.example.com/enabled=true",
    );
  });
});

describe("policyDenials for other kinds", () => {
  const group = routeGroupWith({ endpoints: [{ name: "a", target: "http://a.other.svc", auth: "None" }] });

  it("checks the endpoints of a RouteGroup", () => {
    assert.deepEqual(denied(group, { other: [{}] }), [
      "ForeignNamespaceDenied spec.endpoints[0].target",
      "PublicEndpointDenied spec.endpoints[0].auth",
    ]);
    assert.deepEqual(
      denied(group, { other: [{ allowedFromNamespaces: [{ name: "shop" }], allowPublicEndpoints: true }] }),
      [],
    );
    assert.deepEqual(denied(routeGroupWith(), { shop: [] }), []);
  });

  it("checks the namespace and the target of a LocalWorkload", () => {
    const other = localWorkloadWith({}, { targetRef: { name: "orders", namespace: "other" } });

    assert.deepEqual(denied(localWorkloadWith()), []);
    assert.deepEqual(denied(localWorkloadWith(), { shop: [] }), ["NamespaceNotEnabled spec.service.name"]);
    assert.deepEqual(denied(localWorkloadWith(), { shop: [{ allowLocal: false }] }), ["LocalNotAllowed spec.service"]);
    assert.deepEqual(denied(other, { other: [{}] }), ["ForeignNamespaceDenied spec.service.targetRef"]);
    assert.deepEqual(denied(other, { other: [{ allowedFromNamespaces: [{ name: "shop" }], allowLocal: false }] }), [
      "LocalNotAllowed spec.service",
    ]);
  });
});

describe("isOutboundAllowed", () => {
  const allows = (
    target: string,
    allow: readonly string[] | undefined,
    outboundAllow?: string[],
    isEnabled = true,
  ): boolean => {
    const [service = "", home = ""] = target.split(".");
    const policy = combined([outboundAllow === undefined ? {} : { outboundAllow }]);
    const outbound = { enabled: isEnabled, allow };
    return isOutboundAllowed({ service, namespace: home, port: 80 }, { outbound, policy });
  };

  it("allows Services of the own namespace by default", () => {
    assert.ok(allows("db.shop", undefined));
    assert.ok(!allows("db.other", undefined));
    assert.ok(!allows("db.shop", undefined, undefined, false));
  });

  it("needs both the workload and the policy for other namespaces, and never the system namespace", () => {
    assert.ok(allows("db.other", ["*.other"], ["db.other"]));
    assert.ok(!allows("db.other", ["*.other"]));
    assert.ok(!allows("db.other", undefined, ["db.other"]));
    assert.ok(!allows("db.shop", undefined, ["db.other"]));
    assert.ok(!allows("db.sandbox-system", ["*.*"], ["*.*"]));
  });
});
