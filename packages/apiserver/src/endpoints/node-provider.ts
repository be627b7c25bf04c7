import type { JsonRecord } from "@homeostat/core";
import type { AuthorizedRequest } from "../handlers/context.ts";
import type { HandlerResponse } from "../http/handler.ts";
import { internalErrorStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** Options of a log request. */
export interface LogOptions {
  readonly container: string;
  readonly isFollowed: boolean;
  /** True for the log of the previous, terminated instance of the container. */
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTimeMs?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** Source of container logs: a kubelet or a simulation of one. Throws a `StatusError` when there is no log. */
export interface LogProvider {
  logs(pod: JsonRecord, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array | string>>;
}

/** Target of an `exec`, `attach` or `portforward` request. */
export interface PodStream {
  readonly pod: JsonRecord;
  /** Empty for `portforward`, which applies to the whole pod. */
  readonly container: string;
}

/** Target of a request to `pods/NAME/proxy` or `services/NAME/proxy`. */
export interface ProxyTarget {
  readonly pod: JsonRecord;
  readonly scheme: "http" | "https";
  readonly host: string;
  /** Undefined when neither the request nor the pod specifies one. */
  readonly port: string | undefined;
}

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
