// The permissions of the operator, the route server and the roles of users, compared with what the design of the operator allows. Every
// permission beyond it has a reason.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPointer } from "@homeostat/core";
import type { PolicyRule } from "@homeostat/kubernetes/rbac/v1";
import { operatorManifests } from "@homeostat/operator";
import { sandboxOperator } from "../operator.ts";
import { sandboxRoles } from "./roles.ts";
import { systemNamespace } from "../api/identity.ts";

const own = "sandbox.example.com";
const writing = ["create", "delete", "get", "list", "patch", "watch"];
const reading = ["get", "list", "watch"];
const all = [...writing, "update"];

/** Returns permissions as `verb resource.group`, with ` NAME` and ` in NAMESPACE` if they are limited to them. */
function permissionsOf(rules: readonly PolicyRule[], namespace = ""): readonly string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs, resourceNames = [""] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames.map((name) => {
            const kind = group === "" ? resource : `${resource}.${group}`;
            return [verb, kind, ...(name ? [name] : []), ...(namespace ? ["in", namespace] : [])].join(" ");
          }),
        ),
      ),
    ),
  );
}

/** Returns the permissions of the roles with these names, in the cluster and in the namespace of the operator. */
function granted(...names: readonly string[]): ReadonlySet<string> {
  const roles = operatorManifests(sandboxOperator()).filter(
    ({ kind, metadata }) => (kind === "ClusterRole" || kind === "Role") && names.includes(metadata.name ?? ""),
  );
  assert.ok(roles.length >= names.length);
  return new Set(
    roles.flatMap(({ kind, rules }) => permissionsOf(rulesIn(rules), kind === "Role" ? systemNamespace : "")),
  );
}

function rulesIn(value: unknown): readonly PolicyRule[] {
  return listOf(value).map((rule) => ({
    apiGroups: textsAt(rule, "/apiGroups"),
    resources: textsAt(rule, "/resources"),
    verbs: textsAt(rule, "/verbs"),
    ...(readPointer(rule, "/resourceNames") !== undefined && { resourceNames: textsAt(rule, "/resourceNames") }),
  }));
}

function textsAt(value: unknown, pointer: string): string[] {
  return listOf(readPointer(value, pointer)).map(String);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function each(verbs: readonly string[], ...kinds: readonly string[]): readonly string[] {
  return kinds.flatMap((kind) => verbs.map((verb) => `${verb} ${kind}`));
}

const ownKinds = ["localworkloads", "previewlinks", "routegroups", "routetables", "sandboxes", "sandboxpolicies"];

/** Permissions that the design gives to the operator. */
const designed: ReadonlySet<string> = new Set([
  ...ownKinds.flatMap((kind) => each(all, `${kind}.${own}`, `${kind}/status.${own}`, `${kind}/finalizers.${own}`)),
  ...each(
    writing,
    "deployments.apps",
    "statefulsets.apps",
    "services",
    "endpointslices.discovery.k8s.io",
    "secrets",
    "poddisruptionbudgets.policy",
    "jobs.batch",
  ),
  ...each(reading, "rollouts.argoproj.io", "pods", "pods/log"),
  ...each(["create", "patch"], "events.events.k8s.io"),
  ...each(["create"], "tokenreviews.authentication.k8s.io", "subjectaccessreviews.authorization.k8s.io"),
  ...each(
    all,
    "httproutes.gateway.networking.k8s.io",
    "grpcroutes.gateway.networking.k8s.io",
    "referencegrants.gateway.networking.k8s.io",
    "virtualservices.networking.istio.io",
    "networkpolicies.networking.k8s.io",
  ),
  ...each(["get", "patch"], "mutatingwebhookconfigurations.admissionregistration.k8s.io sandbox-operator"),
  ...each(["get", "patch"], "validatingwebhookconfigurations.admissionregistration.k8s.io sandbox-operator"),
  "create leases.coordination.k8s.io in sandbox-system",
  ...each(["get", "update"], "leases.coordination.k8s.io sandbox-operator in sandbox-system"),
]);

const ofConfiguration = "the configuration of the operator";
const ofTrust = "proxies mount the CA of the route server from a ConfigMap of their namespace";
const ofTunnels = "LocalWorkloads publish the fingerprint of the CA of the tunnel server";
const ofKeys = "gateways verify preview tokens with public keys that the operator publishes";
const ofOwners =
  "owner references with blockOwnerDeletion, on clusters with the admission plugin OwnerReferencesPermissionEnforcement";
const ofNamespaces = "policies select namespaces by label, and system namespaces are never used";
const replaced = "replaces an object that it has read, with its resourceVersion";
const ofGateway = "the operator installs the gateway, and removes it with the preview domain";

/** Permissions of the operator beyond the design, with the reason of each. */
const additional: Readonly<Record<string, string>> = {
  "list configmaps sandbox-config in sandbox-system": ofConfiguration,
  "watch configmaps sandbox-config in sandbox-system": ofConfiguration,
  "create configmaps sandbox-route-server-ca": ofTrust,
  "list configmaps sandbox-route-server-ca": ofTrust,
  "patch configmaps sandbox-route-server-ca": ofTrust,
  "watch configmaps sandbox-route-server-ca": ofTrust,
  "create configmaps in sandbox-system": ofTrust,
  "get configmaps sandbox-route-server-ca in sandbox-system": ofTrust,
  "update configmaps sandbox-route-server-ca in sandbox-system": ofTrust,
  "get configmaps sandbox-tunnel-ca in sandbox-system": ofTunnels,
  "update configmaps sandbox-tunnel-ca in sandbox-system": ofTunnels,
  "get configmaps sandbox-preview-keys in sandbox-system": ofKeys,
  "update configmaps sandbox-preview-keys in sandbox-system": ofKeys,
  "get namespaces": ofNamespaces,
  "list namespaces": ofNamespaces,
  "watch namespaces": ofNamespaces,
  "list persistentvolumeclaims": "warns about claims that two nodes cannot use at once",
  "watch persistentvolumeclaims": "warns about claims that two nodes cannot use at once",
  "update namespaces/finalizers": ofOwners,
  "update services/finalizers": ofOwners,
  "update mutatingwebhookconfigurations.admissionregistration.k8s.io sandbox-operator": replaced,
  "update validatingwebhookconfigurations.admissionregistration.k8s.io sandbox-operator": replaced,
  "update secrets sandbox-ca in sandbox-system": replaced,
  "update secrets sandbox-preview-keys in sandbox-system": replaced,
  "update secrets sandbox-tunnel-tls in sandbox-system": replaced,
  "create secrets in sandbox-system": "the certificate of the webhooks, whose name a create cannot be limited to",
  "get secrets sandbox-operator-webhook-certificates in sandbox-system": "the certificate of the webhooks",
  "update secrets sandbox-operator-webhook-certificates in sandbox-system": replaced,
  "delete poddisruptionbudgets.policy sandbox-gateway in sandbox-system": ofGateway,
  "get poddisruptionbudgets.policy sandbox-gateway in sandbox-system": ofGateway,
};

describe("the permissions of the operator", () => {
  const present = granted(
    "sandbox-operator",
    "sandbox-operator-own",
    "sandbox-operator-webhooks",
    "sandbox-operator-certificates",
  );

  it("are those of the design, and additional ones with a reason", () => {
    const beyond = [...present].filter((permission) => !designed.has(permission)).sort();

    assert.deepEqual(beyond, Object.keys(additional).sort());
  });

  it("let it neither grant permissions nor act for others", () => {
    for (const permission of present) {
      assert.doesNotMatch(permission, /rbac\.authorization|serviceaccounts|impersonate|escalate|bind |\*/);
      assert.doesNotMatch(permission, /^(list|watch) secrets/);
    }
  });
});

describe("the permissions of the route server", () => {
  it("are those of the design, and the public keys of preview tokens", () => {
    const present = [...granted("sandbox-route-server", "sandbox-route-server-own")].sort();
    const read = ["list", "watch"];

    assert.deepEqual(
      present,
      [
        ...each(read, `routetables.${own}`, "services", "endpointslices.discovery.k8s.io"),
        ...each(read, "configmaps sandbox-config in sandbox-system"),
        `patch routetables/status.${own}`,
        "create tokenreviews.authentication.k8s.io",
        // The design has no place for these keys. They are public, and nothing else in the namespace is readable.
        ...each(read, "configmaps sandbox-preview-keys in sandbox-system"),
      ].sort(),
    );
  });
});

describe("the roles of users", () => {
  const rolesOf = new Map(
    sandboxRoles().map(({ metadata, rules = [] }) => [metadata?.name, [...permissionsOf(rules)].sort()]),
  );
  const viewer = each(reading, ...ownKinds.map((kind) => `${kind}.${own}`));
  const edit = ["create", "delete", "patch", "update"];
  // A user who may open a preview address creates a PreviewLink for it.
  const edited = ["localworkloads", "previewlinks", "routegroups", "sandboxes"].map((kind) => `${kind}.${own}`);
  const developer = [...viewer, ...each(edit, ...edited)];
  const admin = [...developer, ...each(edit, `sandboxpolicies.${own}`)];

  it("view, develop and administer as in the design", () => {
    assert.deepEqual(rolesOf.get("sandbox-viewer"), [...viewer].sort());
    assert.deepEqual(rolesOf.get("sandbox-developer"), [...developer].sort());
    assert.deepEqual(rolesOf.get("sandbox-admin"), [...admin].sort());
  });

  it("have one more role, which lets a user fork workloads without the right to create Deployments", () => {
    assert.deepEqual(rolesOf.get("sandbox-creator"), [`fork sandboxes/targets.${own}`]);
    assert.equal(rolesOf.size, 4);
  });
});
