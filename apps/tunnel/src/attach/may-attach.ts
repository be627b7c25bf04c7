// The checks of a machine that wants to attach, and that is attached. Pure: everything is read from the cache.

import { findCondition, type DeepReadonly } from "@homeostat/core";
import { creatorOf, isLocalAllowed, type LocalWorkload, type SandboxPolicy } from "@homeostat/sandbox-operator";
import { machineId } from "@homeostat/tunnel";

/** Identity that a machine has proven: its key, for an object with this UID. */
export interface Claim {
  readonly uid: string;
  readonly key: string;
}

/** The result of {@link mayAttach}. Refusals have a text for the log of the server; machines get the same response for all of them. */
export type MayAttach =
  | { readonly isAllowed: true; readonly user: string; readonly groups: readonly string[] }
  | { readonly isAllowed: false; readonly why: string };

/** Decides whether a machine may use a LocalWorkload: the object exists, lists its key, names no other machine, and policies allow it. */
export function mayAttach(
  claim: Claim,
  object: DeepReadonly<LocalWorkload> | undefined,
  policies: readonly DeepReadonly<SandboxPolicy>[],
): MayAttach {
  const not = (why: string): MayAttach => ({ isAllowed: false, why });
  if (object === undefined) return not("the LocalWorkload does not exist");
  if (object.metadata.uid !== claim.uid) return not("the UID is that of another LocalWorkload");
  const { publicKeys, target } = object.spec.connection;
  if (!publicKeys.includes(claim.key)) return not("the key is not listed");
  if (target !== "" && target !== machineId(claim.key)) return not("another machine is the target");
  const { namespace = "" } = object.metadata;
  if (!isLocalAllowed(namespace, policies)) return not("a SandboxPolicy forbids LocalWorkloads");
  const ready = findCondition(object.status?.conditions ?? [], "Ready");
  if (ready?.status === "False" && ready.reason === "PolicyDenied") return not("policies deny the LocalWorkload");
  const creator = creatorOf(object);
  if (creator === undefined) return not("the user who created it is not recorded");
  return { isAllowed: true, ...creator };
}
