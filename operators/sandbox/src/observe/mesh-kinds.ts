// The mesh kinds, whose CRDs are installed separately. The schemas contain only the fields that the operator reads and
// writes.

import type { DeepReadonly, KubeObject, ResourceType } from "@homeostat/core";
import type { GrpcMatch, GrpcRoute, HttpMatch, HttpRoute, MeshRoute, ParentRef } from "../render/gateway-types.ts";
import type { VirtualService as RenderedVirtualService } from "../render/istio-types.ts";

/** A condition that a mesh reports about a route. */
interface RouteCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** The report of one mesh about one parent of a route. */
export interface ParentStatus {
  readonly parentRef: ParentRef;
  readonly controllerName?: string;
  readonly conditions?: readonly RouteCondition[];
}

interface RouteObject<M> extends KubeObject {
  readonly spec?: MeshRoute<string, M>["spec"];
  readonly status?: { readonly parents?: readonly ParentStatus[] };
}

export type HttpRouteObject = RouteObject<HttpMatch>;
export type GrpcRouteObject = RouteObject<GrpcMatch>;

export interface VirtualServiceObject extends KubeObject {
  readonly spec?: RenderedVirtualService["spec"];
}

export const gatewayGroup = "gateway.networking.k8s.io";
export const istioGroup = "networking.istio.io";

export const HTTPRoute: ResourceType<HttpRouteObject> = {
  group: gatewayGroup,
  version: "v1",
  kind: "HTTPRoute",
  plural: "httproutes",
  scope: "Namespaced",
};

export const GRPCRoute: ResourceType<GrpcRouteObject> = {
  group: gatewayGroup,
  version: "v1",
  kind: "GRPCRoute",
  plural: "grpcroutes",
  scope: "Namespaced",
};

export const VirtualService: ResourceType<VirtualServiceObject> = {
  group: istioGroup,
  version: "v1",
  kind: "VirtualService",
  plural: "virtualservices",
  scope: "Namespaced",
};

/** Returns a stored HTTPRoute as the renderer reads it. */
export function httpRouteOf(route: DeepReadonly<HttpRouteObject>): HttpRoute {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: metaOf(route),
    spec: route.spec ?? {},
  };
}

/** Returns a stored GRPCRoute as the renderer reads it. */
export function grpcRouteOf(route: DeepReadonly<GrpcRouteObject>): GrpcRoute {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GRPCRoute",
    metadata: metaOf(route),
    spec: route.spec ?? {},
  };
}

/** Returns a stored VirtualService as the renderer reads it. */
export function virtualServiceOf(service: DeepReadonly<VirtualServiceObject>): RenderedVirtualService {
  const { metadata, spec } = service;
  return {
    apiVersion: `${istioGroup}/v1`,
    kind: "VirtualService",
    metadata: { ...metadata, ...metaOf(service) },
    spec: spec ?? {},
  };
}

function metaOf({ metadata }: DeepReadonly<KubeObject>): HttpRoute["metadata"] {
  const { name = "", namespace = "", labels, annotations, creationTimestamp } = metadata;
  return {
    name,
    namespace,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  };
}
