import type { Clock } from "@homeostat/core";
import type { Authorizer } from "../auth/attributes.ts";
import type { User } from "../auth/user.ts";
import { headerOf, type ServerRequest } from "../http/handler.ts";
import type { Call } from "../registry/call.ts";
import type { Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";
import type { ServedKind } from "../resources/served-kind.ts";

/** Parts of the server that every endpoint uses. */
export interface ServerParts {
  readonly registry: Registry;
  readonly kinds: Kinds;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
}

/** A request that has been authenticated and authorized. Admission comes later, in the registry. */
export interface AuthorizedRequest {
  readonly request: ServerRequest;
  readonly signal: AbortSignal;
  /** The user after impersonation. */
  readonly user: User;
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void;
  /** @internal Parts of the server. */
  readonly parts: ServerParts;
}

/** Builds the registry call for a request about a kind. */
export function callOf({ request, signal, user, warn }: AuthorizedRequest, kind: ServedKind): Call {
  const { info } = request;
  const isNamespaced = kind.resource.scope === "Namespaced";
  return {
    kind,
    namespace: isNamespaced ? info.namespace : "",
    name: info.name,
    subresource: info.subresource,
    user,
    userAgent: headerOf(request.headers, "user-agent") ?? "",
    signal,
    emptyPaths: new Set(),
    warn,
  };
}
