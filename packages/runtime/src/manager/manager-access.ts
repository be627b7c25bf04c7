import type { AccessRule } from "../controller/access.ts";
import type { ManagerSettings } from "./options.ts";

/** Returns the RBAC rules for leader election with a Lease. */
export function electionAccess({ name, namespace }: { name: string; namespace: string }): readonly AccessRule[] {
  const lease = { group: "coordination.k8s.io", resource: "leases", namespace };
  return [
    // RBAC cannot restrict create by resourceNames, because the name is not known at authorization time.
    { ...lease, verbs: ["create"] },
    { ...lease, verbs: ["get", "update"], names: [name] },
  ];
}

/** Returns the RBAC rules for recording events, in all namespaces or in one. */
export function eventAccess(namespace?: string): readonly AccessRule[] {
  const scope = namespace === undefined || namespace === "" ? {} : { namespace };
  return [{ group: "events.k8s.io", resource: "events", verbs: ["create", "patch"], ...scope }];
}

/** Returns the RBAC rules of the manager itself: those for its Lease, or none without leader election. */
export function ownAccess({ election }: Pick<ManagerSettings, "election">): readonly AccessRule[] {
  return election === undefined ? [] : electionAccess(election);
}
