import type { User } from "../auth/user.ts";
import { wellKnown } from "../auth/user.ts";
import { builtInRelease } from "../resources/release.ts";
import type { Call } from "./call.ts";
import type { RegistryWriteOptions } from "./context.ts";
import type { ServedKind } from "../resources/served-kind.ts";

/** The user for writes of the server itself. */
export const systemUser: User = {
  name: "system:apiserver",
  uid: "",
  groups: [wellKnown.masters, wellKnown.authenticated],
  extra: {},
};

const never = new AbortController().signal;

/** Returns a registry call of the server itself or of a controller in it. */
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

/** Returns the write options of the server's own writes. */
export function systemChoice(fieldManager: string = ""): RegistryWriteOptions {
  return { isDryRun: false, fieldManager, options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" } };
}
