import type { OwnershipDefinition } from "homeostat";
import { Ownership } from "@homeostat/runtime";
import { annotations, labels, manager } from "./identity.ts";
import type { Tenant } from "./tenant.ts";

/** Marks by which objects prove which tenant owns them: the rule "Proof of ownership" in `docs/internals/tenant.md`. */
export const ownershipDefinition: OwnershipDefinition<Tenant> = {
  mark: { uid: annotations.tenantUid, desiredHash: annotations.desiredHash, labels: { [labels.managedBy]: manager } },
  // The garbage collector would delete what `Retain` promises to keep.
  hasReference: ({ spec }) => spec.deletionPolicy !== "Retain",
};

export const ownership = new Ownership(ownershipDefinition);
