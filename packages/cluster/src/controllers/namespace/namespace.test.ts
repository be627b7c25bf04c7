import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiResource } from "@homeostat/client";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { type Findings, namespaceConditions } from "./conditions.ts";
import { deletableKinds, isPods, leftover, podSeconds } from "./content.ts";

const deployments: ApiResource = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
  singular: "deployment",
  shortNames: [],
  categories: [],
  verbs: ["delete", "list"],
  subresources: [],
};
const now = Date.UTC(2026, 0, 1);
const well: Findings = { deletionProblems: [], remaining: [], finalizers: new Map() };

describe("the conditions of a terminating namespace", () => {
  it("are all in their good state for an empty namespace, in a fixed order", () => {
    const conditions = namespaceConditions([], well, now);

    assert.deepEqual(
      conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      [
        "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered",
        "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions",
        "NamespaceDeletionContentFailure False ContentDeleted",
        "NamespaceContentRemaining False ContentRemoved",
        "NamespaceFinalizersRemaining False ContentHasNoFinalizers",
      ],
    );
    assert.equal(namespaceConditions(conditions, well, now + 5000), conditions, "nothing to write");
  });

  it("list remaining content, sorted, with transition times", () => {
    const before = namespaceConditions([], well, now);
    const findings: Findings = {
      discoveryProblem: "no answer",
      deletionProblems: ["b", "a"],
      remaining: [
        { kind: { group: "", version: "v1", plural: "configmaps" }, count: 2 },
        { kind: deployments, count: 1 },
      ],
      finalizers: new Map([
        ["z", 1],
        ["example.com/a", 3],
      ]),
    };

    const conditions = namespaceConditions(before, findings, now + 1000);

    const messages = conditions.map(({ message }) => message);
    assert.deepEqual(messages, [
      "no answer",
      "All legacy kube types successfully parsed",
      "Failed to delete all resource types, 2 remaining: a, b",
      "Some resources are remaining: configmaps. has 2 resource instances, deployments.apps has 1 resource instances",
      "Some content in the namespace has finalizers remaining: example.com/a in 3 resource instances, z in 1 resource instances",
    ]);
    assert.equal(conditions[0]?.lastTransitionTime, "2026-01-01T00:00:01Z");
    assert.equal(conditions[1]?.lastTransitionTime, "2026-01-01T00:00:00Z");
  });
});

describe("remaining content of a kind", () => {
  const object = (
    finalizers?: string[],
  ): { apiVersion: string; kind: string; metadata: { finalizers?: string[] } } => ({
    apiVersion: "v1",
    kind: "X",
    metadata: finalizers === undefined ? {} : { finalizers },
  });

  it("is waited for when it has finalizers", () => {
    const left = leftover(deployments, [object(["a"]), object(["a", "b"])], { namespace: "shop" });

    assert.equal(left.estimateSeconds, 15);
    assert.deepEqual(
      [...left.finalizers],
      [
        ["a", 2],
        ["b", 1],
      ],
    );
    assert.equal(left.problem, undefined);
  });

  it("is waited for during its grace period", () => {
    const left = leftover(deployments, [object()], { namespace: "shop", graceSeconds: 30 });

    assert.equal(left.estimateSeconds, 30);
    assert.equal(left.problem, undefined);
  });

  it("is an error without finalizers and grace period", () => {
    const left = leftover(deployments, [object()], { namespace: "shop" });

    assert.equal(
      left.problem,
      "unexpected items still remain in namespace: shop for gvr: apps/v1, Resource=deployments",
    );
  });
});

describe("the content of a namespace", () => {
  const pod = (seconds: number, phase: "Running" | "Failed"): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {},
    spec: { containers: [], terminationGracePeriodSeconds: seconds },
    status: { phase },
  });

  it("takes as long as the longest grace period of its pods, counted from the deletion", () => {
    const pods = [pod(30, "Running"), pod(600, "Failed"), pod(5, "Running")];

    assert.equal(podSeconds(pods, "2026-01-01T00:00:00Z", now + 29_000), 30);
    assert.equal(podSeconds(pods, "2026-01-01T00:00:00Z", now + 30_000), 0);
    assert.equal(podSeconds([], "2026-01-01T00:00:00Z", now), 0);
  });

  it("includes the namespaced kinds that can be deleted", () => {
    const reviews = { ...deployments, verbs: ["create"] };
    const nodes: ApiResource = { ...deployments, scope: "Cluster" };
    const pods = { ...deployments, group: "", plural: "pods", kind: "Pod" };

    assert.deepEqual(deletableKinds([deployments, reviews, nodes]), [deployments]);
    assert.equal(isPods(deployments), false);
    assert.equal(isPods(pods), true);
  });
});
