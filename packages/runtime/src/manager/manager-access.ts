import type { AccessRule } from "../controller/access.ts";
import type { ManagerSettings } from "./options.ts";

/** What a manager itself needs to be allowed to do, for the election it takes part in. */
export function electionAccess({ name, namespace }: { name: string; namespace: string }): readonly AccessRule[] {
  const lease = { group: "coordination.k8s.io", resource: "leases", namespace };
  return [
    // A name is no limit on what is created: the server does not know it yet.
    { ...lease, verbs: ["create"] },
    { ...lease, verbs: ["get", "update"], names: [name] },
  ];
}

/** What recording events needs, in all namespaces or in one. */
export function eventAccess(namespace?: string): readonly AccessRule[] {
  const place = namespace === undefined || namespace === "" ? {} : { namespace };
  return [{ group: "events.k8s.io", resource: "events", verbs: ["create", "patch"], ...place }];
}

/** What the manager needs for its own Lease; nothing without an election. */
export function ownAccess({ election }: Pick<ManagerSettings, "election">): readonly AccessRule[] {
  return election === undefined ? [] : electionAccess(election);
}
