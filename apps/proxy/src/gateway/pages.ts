// Responses of the gateway itself. Those to unknown callers name neither objects nor other hosts.

import type { Destination, ProxyErrorReason, RespondPlan } from "@homeostat/proxy";

/** Destination of requests that no host was found for. */
export const nowhere: Destination = { namespace: "", service: "", kind: "baseline", sandbox: "", workload: "" };

const grpc = { unauthenticated: 16, permissionDenied: 7, notFound: 5, unavailable: 14 } as const;

/** Fields of a page that differ from the default. */
interface Page {
  readonly status: number;
  readonly grpcStatus: number;
  readonly body: string;
  readonly reason?: ProxyErrorReason | undefined;
  readonly headers?: RespondPlan["headers"] | undefined;
}

function page({ status, grpcStatus, body, reason, headers = [] }: Page, destination: Destination): RespondPlan {
  return {
    type: "respond",
    destination,
    status,
    grpcStatus,
    // A response about access must not be kept: the next request may be allowed.
    headers: [["cache-control", "no-store"], ...headers],
    body,
    delayMs: 0,
    reason,
  };
}

/** Builds the pages. */
export const pages = {
  unknownHost: (): RespondPlan =>
    page(
      {
        status: 404,
        grpcStatus: grpc.notFound,
        body: "This preview address does not exist.\n",
        reason: "unknown_host",
      },
      nowhere,
    ),
  expired: (): RespondPlan =>
    page({ status: 410, grpcStatus: grpc.notFound, body: "This preview address has expired.\n" }, nowhere),
  wrongPath: (path: string, destination: Destination): RespondPlan =>
    page(
      { status: 404, grpcStatus: grpc.notFound, body: `This preview address serves only paths below ${path}.\n` },
      destination,
    ),
  noReadyPods: (destination: Destination): RespondPlan =>
    page(
      {
        status: 503,
        grpcStatus: grpc.unavailable,
        body: `Service ${destination.service} of namespace ${destination.namespace} has no ready pods. Retry when it has some.\n`,
        reason: "unavailable",
        headers: [["retry-after", "5"]],
      },
      destination,
    ),
  /** The connection was opened for another host: clients open one for this host and repeat the request. */
  misdirected: (destination: Destination): RespondPlan =>
    page(
      {
        status: 421,
        grpcStatus: grpc.unavailable,
        body: "This preview address does not speak HTTP/2. Connect with HTTP/1.1.\n",
      },
      destination,
    ),
  unauthenticated: (body: string, destination: Destination): RespondPlan =>
    page({ status: 401, grpcStatus: grpc.unauthenticated, body, reason: "unauthorized" }, destination),
  forbidden: (body: string, destination: Destination): RespondPlan =>
    page({ status: 403, grpcStatus: grpc.permissionDenied, body, reason: "unauthorized" }, destination),
  unavailable: (body: string, destination: Destination): RespondPlan =>
    page(
      { status: 503, grpcStatus: grpc.unavailable, body, reason: "unavailable", headers: [["retry-after", "5"]] },
      destination,
    ),
  /** Redirects to a path of the same host. */
  redirect: (location: string, headers: RespondPlan["headers"], destination: Destination): RespondPlan =>
    page(
      {
        status: 302,
        grpcStatus: grpc.unauthenticated,
        body: "",
        headers: [["location", location], ["referrer-policy", "no-referrer"], ...headers],
      },
      destination,
    ),
};
