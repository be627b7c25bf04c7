// Laws of the derivation, for random baselines, entries and patches.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isRecord } from "@homeostat/core";
import { fuzz, type SeededRandom } from "@homeostat/fuzz";
import type { PodSpec, ServiceSpec } from "@homeostat/kubernetes/core/v1";
import { isOwnKey } from "./metadata.ts";
import { deployment, service } from "../testing/fork-baselines.ts";
import { type ForkCase, forkInput } from "../testing/fork-cases.ts";
import { selectsPods } from "../api/pod-selector.ts";
import type { EntryPatch } from "../api/sandbox.ts";
import { readBaseline } from "./baseline.ts";
import { deriveFork } from "./derive-fork.ts";
import { guardRules } from "./guard.ts";
import { isRefusal } from "./refusal.ts";
import { viewService } from "./service-view.ts";

const keys = fc.constantFrom("app", "tier", "version", "team");
const labels = fc.dictionary(keys, fc.constantFrom("a", "b"), { maxKeys: 4 });
const runs = { numRuns: 200, seed: 42 };

const securityContext = fc.record(
  {
    privileged: fc.boolean(),
    allowPrivilegeEscalation: fc.boolean(),
    runAsUser: fc.constantFrom(0, 1000),
    runAsNonRoot: fc.boolean(),
    procMount: fc.constantFrom("Default", "Unmasked"),
    capabilities: fc.record(
      { add: fc.subarray(["NET_ADMIN", "CHOWN"]), drop: fc.subarray(["ALL", "CHOWN"]) },
      { requiredKeys: [] },
    ),
    seccompProfile: fc.record({ type: fc.constantFrom("Unconfined", "RuntimeDefault") }),
  },
  { requiredKeys: [] },
);

const container = fc.record(
  {
    name: fc.constantFrom("app", "web", "log"),
    image: fc.constantFrom("a", "b"),
    env: fc.array(fc.record({ name: fc.constantFrom("A", "B", "SANDBOX_NAME"), value: fc.constantFrom("1", "2") })),
    ports: fc.uniqueArray(
      fc.record({ containerPort: fc.constantFrom(80, 8080), hostPort: fc.constantFrom(80, 8080) }),
      { selector: ({ containerPort }) => containerPort },
    ),
    securityContext,
  },
  { requiredKeys: ["name", "image"] },
);
const containers = fc.uniqueArray(container, { selector: ({ name }) => name, minLength: 1, maxLength: 3 });

const volume = fc.oneof(
  fc.record({ name: fc.constantFrom("v", "w"), hostPath: fc.record({ path: fc.constantFrom("/", "/var") }) }),
  fc.record({ name: fc.constantFrom("v", "w"), csi: fc.record({ driver: fc.constant("d") }) }),
  fc.record({ name: fc.constantFrom("v", "w"), persistentVolumeClaim: fc.record({ claimName: fc.constant("c") }) }),
  fc.record({
    name: fc.constantFrom("v", "w"),
    projected: fc.constant({ sources: [{ serviceAccountToken: { path: "t" } }] }),
  }),
);

const podFields = {
  containers,
  volumes: fc.uniqueArray(volume, { selector: ({ name }) => name }),
  serviceAccountName: fc.constantFrom("cart", "admin"),
  automountServiceAccountToken: fc.boolean(),
  hostNetwork: fc.boolean(),
  hostPID: fc.boolean(),
  hostUsers: fc.boolean(),
  shareProcessNamespace: fc.boolean(),
  nodeName: fc.constantFrom("n1", "n2"),
  runtimeClassName: fc.constantFrom("gvisor", "runc"),
  securityContext: fc.record({ runAsUser: fc.constantFrom(0, 1000), runAsNonRoot: fc.boolean() }, { requiredKeys: [] }),
  hostAliases: fc.constant([{ ip: "10.1.1.1", hostnames: ["cart.shop.svc"] }]),
};
const pod = fc.record(podFields, { requiredKeys: ["containers"] });
const podChange = fc.record(podFields, { requiredKeys: [] });

const patch = fc
  .record({ type: fc.constantFrom("Strategic" as const, "Merge" as const), pod: podChange, labels })
  .map(({ type, pod: spec, labels: podLabels }): EntryPatch => ({
    type,
    value: JSON.parse(JSON.stringify({ spec: { template: { metadata: { labels: podLabels }, spec } } })),
  }));

/** A case with random parts. Specs are typed loosely, because fast-check generates enums as texts. */
const randomCase = fc
  .record({
    podLabels: labels,
    pod,
    selectors: fc.array(labels, { maxLength: 3 }),
    sandboxLabels: labels,
    preserveLabels: fc.subarray(["app", "t.*", ".*"]),
    patches: fc.array(patch, { maxLength: 2 }),
    volumes: fc.constantFrom("Share" as const, "Ephemeral" as const),
  })
  .map(({ podLabels, pod: spec, selectors, sandboxLabels, preserveLabels, patches, volumes }): ForkCase => {
    const parsed: PodSpec = JSON.parse(JSON.stringify(spec));
    return {
      baseline: { kind: "Deployment", object: deployment({ spec: parsed, labels: podLabels }) },
      services: selectors.map((selector, i) => {
        const ports: ServiceSpec["ports"] = [{ port: 80, targetPort: 8080 }];
        return service(`s${i}`, { selector, ports });
      }),
      labels: sandboxLabels,
      entry: { preserveLabels, patches, volumes },
    };
  });

describe("the derivation of forks", () => {
  it("is deterministic, also for a baseline with another order of keys", () => {
    fc.assert(
      fc.property(randomCase, (each) => {
        const object = JSON.parse(JSON.stringify(reversed(each.baseline.object)));
        const other = { ...each, baseline: { ...each.baseline, object } };

        const [first, second] = [deriveFork(forkInput(each)), deriveFork(forkInput(other))];

        assert.equal(isRefusal(first), isRefusal(second));
        if (isRefusal(first) || isRefusal(second)) return;
        assert.equal(first.templateHash, second.templateHash);
        assert.equal(first.inputHash, second.inputHash);
        assert.deepEqual(first.forkedFrom, second.forkedFrom);
      }),
      runs,
    );
  });

  it("is idempotent: a fork of the fork's template without further changes has the same pods", () => {
    fc.assert(
      fc.property(randomCase, (each) => {
        const input = forkInput(each);
        const first = deriveFork(input);
        if (isRefusal(first)) return;
        const baseline = readBaseline({ kind: "Deployment", object: first.deployment });
        assert.ok(baseline !== undefined);
        const same = { ...input.baseline, template: baseline.template };

        const second = deriveFork({ ...input, baseline: same, entry: { ...input.entry, patches: [] } });

        assert.ok(!isRefusal(second), JSON.stringify(second));
        assert.deepEqual(second.deployment.spec.template.spec, first.deployment.spec.template.spec);
      }),
      runs,
    );
  });

  it("never gives pods labels that a Service of the namespace selects", () => {
    let derived = 0;
    fc.assert(
      fc.property(randomCase, (each) => {
        const fork = deriveFork(forkInput(each));
        if (isRefusal(fork)) return;
        derived += 1;
        const podLabels = fork.deployment.spec.template.metadata?.labels ?? {};

        for (const view of each.services.map(viewService)) {
          assert.equal(selectsPods(view, podLabels), false, JSON.stringify([view.selector, podLabels]));
        }
      }),
      runs,
    );
    assert.ok(derived > 50, `${derived} forks`);
  });

  it("never keeps a right that the baseline did not have", () => {
    let refused = 0;
    fc.assert(
      fc.property(randomCase, (each) => {
        const input = forkInput(each);
        const fork = deriveFork(input);
        if (isRefusal(fork)) {
          refused += 1;
          return;
        }
        const before = input.baseline.template.spec;
        const after = fork.deployment.spec.template.spec;

        const names = { namespace: "shop", services: each.services.map((view) => viewService(view).name) };
        const found = Object.values(guardRules).flatMap((rule) => rule({ before, after, names }));
        assert.deepEqual(found, []);
        assert.ok(after.containers.every(({ ports = [] }) => ports.every(({ hostPort }) => hostPort === undefined)));
      }),
      runs,
    );
    assert.ok(refused > 50, `${refused} refusals`);
  });

  it("keeps the labels, selector and place of the operator", () => {
    fc.assert(
      fc.property(randomCase, (each) => {
        const fork = deriveFork(forkInput(each));
        if (isRefusal(fork)) return;
        const { metadata, spec } = fork.deployment;

        assert.equal(metadata.namespace, "shop");
        assert.deepEqual(Object.keys(spec.selector.matchLabels ?? {}).every(isOwnKey), true);
        const podLabels = spec.template.metadata?.labels ?? {};
        for (const [key, value] of Object.entries(spec.selector.matchLabels ?? {})) assert.equal(podLabels[key], value);
      }),
      runs,
    );
  });
});

const hostileKeys: readonly string[] = [
  "spec",
  "template",
  "metadata",
  "labels",
  "containers",
  "initContainers",
  "volumes",
  "securityContext",
  "env",
  "name",
  "__proto__",
  "constructor",
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
];
const hostileTexts: readonly string[] = ["app", "delete", "replace", "", "a/b", "\u0000", "__proto__"];
const hostilePaths: readonly string[] = [
  "",
  "/",
  "/spec",
  "/spec/template/spec/containers/0",
  "/spec/template/spec/containers/-",
  "/metadata/labels/app",
  "/__proto__/x",
  "/spec/replicas",
  "/spec/template",
  "~",
];

/** Generates JSON whose keys and texts have a meaning in patches. */
function hostileValue(chance: SeededRandom, depth: number): unknown {
  const sort = chance.int(depth > 6 ? 4 : 8);
  if (sort === 0) return null;
  if (sort === 1) return chance.pick(hostileTexts);
  if (sort === 2) return chance.int(3) - 1;
  if (sort === 3) return chance.int(2) === 0;
  const children = Array.from({ length: chance.int(4) }, () => hostileValue(chance, depth + 1));
  if (sort === 4) return children;
  return Object.fromEntries(children.map((child) => [chance.pick(hostileKeys), child]));
}

function hostilePatch(chance: SeededRandom): EntryPatch {
  const type = chance.pick(["Strategic", "Merge", "JSON"] as const);
  if (type !== "JSON") {
    const value = hostileValue(chance, 0);
    const inner = hostileValue(chance, 0);
    const parts = [value, { spec: value }, { spec: { template: { spec: inner } } }, { spec: { template: value } }];
    return { type, value: JSON.parse(JSON.stringify(chance.pick(parts))) };
  }
  const operations = Array.from({ length: chance.int(4) }, () => ({
    op: chance.pick(["add", "remove", "replace", "move", "copy", "test", "x"]),
    path: chance.pick(hostilePaths),
    from: chance.pick(hostilePaths),
    value: hostileValue(chance, 2),
  }));
  return { type, value: JSON.parse(JSON.stringify(operations)) };
}

describe("hostile patches", () => {
  it("never make the derivation throw", () => {
    const input = forkInput({
      baseline: { kind: "Deployment", object: deployment() },
      services: [service("cart")],
    });
    let derived = 0;

    const { accepted } = fuzz({
      count: 2000,
      seed: 11,
      input: (chance) => Array.from({ length: 1 + chance.int(3) }, () => hostilePatch(chance)),
      run(patches) {
        if (!isRefusal(deriveFork({ ...input, entry: { ...input.entry, patches } }))) derived += 1;
      },
      isExpected: () => false,
    });

    assert.ok(accepted > 0 && derived > 0, `${accepted} inputs, ${derived} forks`);
  });
});

/** Returns a value with the keys of all objects in the reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reversed(each)]),
  );
}
