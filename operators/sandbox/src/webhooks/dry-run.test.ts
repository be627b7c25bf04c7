import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EntryPatch, SandboxInput } from "../api/sandbox.ts";
import { dryRunWarnings } from "../preview/preview.ts";
import { admit, readerWith, toolsWith, withoutStatus } from "../testing/admission.ts";
import { deployment, service } from "../testing/fork-baselines.ts";
import { policyWith, routeGroupWith, sandboxWith } from "../testing/objects.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { routeGroupWebhook } from "./route-group-webhook.ts";
import { sandboxWebhook } from "./sandbox-webhook.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

const cart: Entry = { name: "cart", targetRef: { name: "cart" } };
const podPatch = (spec: object): EntryPatch => ({
  type: "Strategic",
  value: JSON.parse(JSON.stringify({ spec: { template: { spec } } })),
});
const patched = (spec: object) => sandboxWith({ services: [{ ...cart, patches: [podPatch(spec)] }] });

/** A cluster with the Deployment and the Service cart. */
const shop: Partial<ClusterReader> = {
  workload: async () => JSON.parse(JSON.stringify(deployment())),
  services: async () => [service("cart")],
};

describe("patches at admission", () => {
  const webhookWith = (changes: Partial<ClusterReader> = {}) =>
    sandboxWebhook(toolsWith(readerWith({ ...shop, ...changes }).reader));

  it("are refused by the guard of forks", async () => {
    const { allowed, message } = await admit(
      webhookWith(),
      withoutStatus(patched({ hostNetwork: true, hostAliases: [{ ip: "10.1.1.1", hostnames: ["cart"] }] })),
    );

    assert.equal(allowed, false);
    assert.match(message, /spec\.services\[0\]\.patches: patches set \/spec\/template\/spec\/hostNetwork to true: /);
    assert.match(message, /hostAliases\/0\/hostnames\/0 to "cart": redirects a name of the cluster/);
  });

  it("may add host aliases that are no names of the cluster", async () => {
    const object = patched({ hostAliases: [{ ip: "10.1.1.1", hostnames: ["mainframe"] }] });

    assert.equal((await admit(webhookWith(), withoutStatus(object))).allowed, true);
  });

  it("may keep values of the baseline", async () => {
    const object = patched({ serviceAccountName: "cart" });

    assert.equal((await admit(webhookWith(), withoutStatus(object))).allowed, true);
  });

  it("may change what a policy allows, and not what it forbids", async () => {
    const withPolicy = (spec: Parameters<typeof policyWith>[0]) =>
      webhookWith({ policies: async () => [policyWith(spec)] });
    const object = withoutStatus(patched({ hostNetwork: true }));

    const allowing = withPolicy({ allowPatchPaths: ["/spec/template/spec/hostNetwork"] });
    const denying = withPolicy({
      allowPatchPaths: ["/spec"],
      denyPatchPaths: ["/spec/template/spec/hostNetwork"],
    });

    assert.equal((await admit(allowing, object)).allowed, true);
    assert.match((await admit(denying, object)).message, /a SandboxPolicy of the namespace forbids patches/);
  });

  it("are warnings on an update that does not cause the problem", async () => {
    const before = patched({ hostNetwork: true });
    const after = { ...before, spec: { ...before.spec, services: [{ ...before.spec.services[0], replicas: 2 }] } };

    const { allowed, warnings } = await admit(webhookWith(), after, { oldObject: before });

    assert.equal(allowed, true);
    assert.match(warnings.join(), /hostNetwork to true: .* \(already present before this update\)/);
  });

  it("are not compared without a baseline: the reconcile does it once the workload exists", async () => {
    const { allowed, warnings } = await admit(
      webhookWith({ workload: async () => undefined }),
      withoutStatus(patched({ hostNetwork: true })),
    );

    assert.equal(allowed, true);
    assert.match(warnings.join(), /Deployment cart does not exist/);
  });

  it("that do not apply are warnings, because the baseline may change", async () => {
    const value = [{ op: "replace", path: "/spec/nothing", value: 1 }];
    const object = sandboxWith({ services: [{ ...cart, patches: [{ type: "JSON", value }] }] });

    const { allowed, warnings } = await admit(webhookWith(), withoutStatus(object));

    assert.equal(allowed, true);
    assert.match(
      warnings.join(),
      /spec\.services\[0\]\.patches\[0\]: no fork can be created: JSON patch does not apply/,
    );
  });
});

describe("a dry run", () => {
  const group = routeGroupWith({ match: { label: { key: "team", value: "pay*" } } });
  const grouped = { ...group, status: { ...group.status, routingKey: "group-key" } };

  it("says what a Sandbox would create and route", async () => {
    const object = sandboxWith({ routingKey: "my-key", labels: { team: "payments" }, services: [cart] });
    const { reader } = readerWith({ ...shop, routeGroups: async () => [grouped] });

    const { allowed, warnings } = await admit(sandboxWebhook(toolsWith(reader)), withoutStatus(object), {
      dryRun: true,
    });

    assert.equal(allowed, true);
    assert.deepEqual(warnings, [
      "dry run: would create Deployment shop/pr-42-cart-<hash>",
      "dry run: would create Service shop/pr-42-cart-<hash>",
      "dry run: would route requests with key group-key for Service shop/cart port 80 to pr-42-cart-<hash> (entry cart of Sandbox pr-42) by RouteGroup checkout",
      "dry run: would route requests with key my-key for Service shop/cart port 80 to pr-42-cart-<hash> (entry cart of Sandbox pr-42)",
    ]);
  });

  it("shows the effects beside the reasons of a denial", async () => {
    const object = sandboxWith({ services: [cart] });
    const { reader } = readerWith({
      ...shop,
      review: async () => ({ isAllowed: false, isDenied: false, reason: "", evaluationError: "" }),
    });

    const { allowed, warnings, message } = await admit(sandboxWebhook(toolsWith(reader)), withoutStatus(object), {
      dryRun: true,
    });

    assert.equal(allowed, false);
    assert.match(message, /cannot create Deployments and Services/);
    assert.equal(warnings[0], "dry run: would create Deployment shop/pr-42-cart-<hash>");
  });

  it("says nothing about a request that is no dry run", async () => {
    const { reader } = readerWith(shop);

    const { warnings } = await admit(
      sandboxWebhook(toolsWith(reader)),
      withoutStatus(sandboxWith({ services: [cart] })),
    );

    assert.deepEqual(warnings, []);
  });

  it("says which sandboxes a RouteGroup would include, and whose requests would move", async () => {
    const forked = (name: string, createdAt: string) => {
      const sandbox = sandboxWith({ labels: { team: "payments" }, services: [cart] }, name);
      const ports = [{ port: 80, protocol: "TCP", routable: true }];
      return {
        ...sandbox,
        metadata: { ...sandbox.metadata, uid: name, creationTimestamp: createdAt },
        status: {
          ...sandbox.status,
          routingKey: `key-${name}`,
          services: [
            {
              name: "cart",
              status: "Ready" as const,
              replicas: 1,
              readyReplicas: 1,
              services: [{ baseline: "cart", fork: name, ports }],
            },
          ],
        },
      };
    };
    const { reader } = readerWith({
      ...shop,
      sandboxes: async () => [forked("older", "2026-01-01T00:00:00Z"), forked("newer", "2026-01-02T00:00:00Z")],
    });
    const object = routeGroupWith({ routingKey: "mine", match: { label: { key: "team", value: "*" } } });

    const { allowed, warnings } = await admit(routeGroupWebhook(toolsWith(reader)), object, { dryRun: true });

    assert.equal(allowed, true);
    assert.deepEqual(warnings, [
      "dry run: would include Sandbox newer",
      "dry run: would include Sandbox older",
      "dry run: would route requests with key mine for Service shop/cart port 80 to older (entry cart of Sandbox older) by RouteGroup checkout",
      "dry run: would let Sandbox older serve Service cart in RouteGroup shop/checkout instead of newer: several sandboxes change it",
    ]);
  });
});

describe("warnings of a dry run", () => {
  const lines = (count: number, length: number) =>
    Array.from({ length: count }, () => ({ effect: "create" as const, text: "x".repeat(length) }));
  const lengthOf = (warnings: readonly string[]): number => warnings.reduce((sum, { length }) => sum + length, 0);

  it("are cut to the length that an API server shows", () => {
    const [warning = ""] = dryRunWarnings(lines(1, 1_000), 0);

    assert.equal(warning.length, 256);
    assert.ok(warning.endsWith("..."));
  });

  for (const used of [0, 100, 3_000, 4_000, 4_096, 5_000]) {
    it(`stay below the total length beside ${used} characters of other warnings, and count what is left out`, () => {
      const warnings = dryRunWarnings(lines(200, 80), used);

      assert.ok(lengthOf(warnings) + used <= Math.max(4_096, used));
      const shown = warnings.filter((text) => text.includes("would")).length;
      if (warnings.length > 0) assert.ok(warnings.at(-1)?.startsWith(`dry run: ${200 - shown} more effects`));
    });
  }

  it("are complete if they fit", () => {
    assert.equal(dryRunWarnings(lines(20, 80), 0).length, 20);
  });
});
