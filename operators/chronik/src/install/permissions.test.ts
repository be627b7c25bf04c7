import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operatorAccess, operatorManifests } from "@homeostat/operator";
import { chronikOperator } from "../operator.ts";
import { warningPolicyName } from "./warning-policy.ts";

const operator = chronikOperator();
const all = "create delete get list patch watch";

/** All permissions of the operator: resources and verbs. */
const rights: Readonly<Record<string, string>> = {
  "chronik.stream/chronikclusters": "get list patch watch",
  "chronik.stream/chronikclusters/status": "patch",
  "chronik.stream/chronikclusters/finalizers": "update",
  "chronik.stream/chroniknodegroups": "create delete get list patch watch",
  "chronik.stream/chroniknodegroups/status": "patch",
  "/configmaps": all,
  "/services": all,
  "/serviceaccounts": all,
  "/persistentvolumeclaims": "delete list patch watch",
  "/pods": "delete get list watch",
  "/pods/eviction": "create",
  "/secrets": "get",
  "/namespaces": "get",
  "apps/statefulsets": all,
  "apps/deployments": all,
  "apps/controllerrevisions": "get",
  "policy/poddisruptionbudgets": all,
  "autoscaling/horizontalpodautoscalers": all,
  "rbac.authorization.k8s.io/roles": all,
  "rbac.authorization.k8s.io/rolebindings": all,
  "discovery.k8s.io/endpointslices": all,
  "networking.k8s.io/networkpolicies": all,
  "storage.k8s.io/storageclasses": "get",
  "events.k8s.io/events": "create patch",
};

describe("the permissions of the operator", () => {
  it("are exactly those that it needs, and none of them reads all Secrets", () => {
    const found = operatorAccess(operator)
      .filter(({ namespace }) => namespace === undefined)
      .map((rule) => {
        const part = rule.subresource === undefined ? "" : `/${rule.subresource}`;
        return [`${rule.group}/${rule.resource}${part}`, rule.verbs.toSorted().join(" ")];
      });

    assert.deepEqual(Object.fromEntries(found), rights);
  });

  it("include nodes only if a feature reads them", () => {
    const verbs = (...featureGates: readonly string[]): string | undefined =>
      operatorAccess(operator, { settings: { featureGates } })
        .find(({ resource }) => resource === "nodes")
        ?.verbs.toSorted()
        .join(" ");

    assert.equal(verbs(), undefined);
    assert.equal(verbs("NodeDetails=true"), "get");
    assert.equal(verbs("ZoneSpread=true"), "list");
    assert.equal(verbs("ZoneSpread=true", "NodeDetails=true"), "get list");
  });
});

describe("the manifests of the operator", () => {
  const manifests = operatorManifests(operator);

  it("contain both CRDs, the Deployment and the policy with warnings", () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ""}`);

    assert.ok(names.includes("CustomResourceDefinition chronikclusters.chronik.stream"));
    assert.ok(names.includes("CustomResourceDefinition chroniknodegroups.chronik.stream"));
    assert.ok(names.includes("Deployment chronik-operator"));
    assert.ok(names.includes(`ValidatingAdmissionPolicy ${warningPolicyName}`));
    assert.ok(names.includes(`ValidatingAdmissionPolicyBinding ${warningPolicyName}`));
  });
});
