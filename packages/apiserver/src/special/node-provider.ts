import type { AuthorizedRequest } from "../handlers/context.ts";
import type { HandlerResponse } from "../http/handler.ts";
import type { LogProvider } from "../kinds/core/pod/log.ts";
import type { PodStream, ProxyTarget } from "../kinds/core/pod/stream.ts";
import { internalErrorStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** The kubelets of a cluster, as the API server reaches them. */
export interface NodeProvider extends LogProvider {
  /** Connects a client to a pod: `exec`, `attach`, `portforward`. Undefined: these requests are rejected. */
  stream?(pod: PodStream, authorized: AuthorizedRequest): Promise<HandlerResponse>;
  /** Forwards a `proxy` request to a pod. Undefined: these requests are rejected. */
  proxy?(target: ProxyTarget, authorized: AuthorizedRequest): Promise<HandlerResponse>;
}

/** The provider of a server without nodes: every request to a node fails. */
export const noNodes: NodeProvider = {
  logs: async () => {
    throw unreachableKubelet();
  },
};

/** Returns the error of kube-apiserver for a kubelet that it cannot reach. */
export function unreachableKubelet(): StatusError {
  return new StatusError(internalErrorStatus("error dialing backend: no kubelet can be reached from this server"));
}
