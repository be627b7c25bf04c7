import type { User } from "../auth/user.ts";
import { wellKnown } from "../auth/user.ts";
import { builtInRelease } from "../kinds/built-in-kinds.ts";
import type { Call } from "../registry/call.ts";
import type { WriteChoice } from "../registry/context.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** The server itself, when it writes for its own purposes. */
export const systemUser: User = {
  name: "system:apiserver",
  uid: "",
  groups: [wellKnown.masters, wellKnown.authenticated],
  extra: {},
};

const never = new AbortController().signal;

/** A call that the server makes itself, or a controller within it. */
export function systemCall(
  kind: ServedKind,
  {
    namespace = "",
    name,
    subresource = "",
    user = systemUser,
    userAgent = `kube-apiserver/${builtInRelease}`,
  }: {
    readonly namespace?: string;
    readonly name: string;
    readonly subresource?: string;
    readonly user?: User;
    readonly userAgent?: string;
  },
): Call {
  return { kind, namespace, name, subresource, user, userAgent, signal: never, warn: () => undefined };
}

/** What a write of the server's own is asked with. */
export function systemChoice(fieldManager: string = ""): WriteChoice {
  return { isDryRun: false, fieldManager, options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" } };
}
