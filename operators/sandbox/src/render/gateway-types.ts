// The parts of the Gateway API that the renderer reads and writes. Fields that it only copies have the type unknown.

/** Metadata of a rendered object, and the fields of a user's object that matter for precedence. */
export interface RouteMeta {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
}

/** A reference to the Service that a route is attached to. The group of Services is the empty text and must be written. */
export interface ParentRef {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
}

export interface BackendRef {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly weight?: number;
  readonly filters?: readonly RouteFilter[];
}

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

export interface ValueMatch extends NamedValue {
  /** Default Exact. */
  readonly type?: "Exact" | "RegularExpression";
}

export interface RouteFilter {
  readonly type: string;
  readonly requestHeaderModifier?: { readonly set?: readonly NamedValue[]; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** A rule of a route. Fields other than these, such as timeouts, are copied. */
export interface RouteRule<M> {
  readonly name?: string;
  readonly matches?: readonly M[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly BackendRef[];
  readonly [field: string]: unknown;
}

/** An HTTPRoute or a GRPCRoute. */
export interface MeshRoute<K extends string, M> {
  readonly apiVersion: "gateway.networking.k8s.io/v1";
  readonly kind: K;
  readonly metadata: RouteMeta;
  readonly spec: {
    readonly parentRefs?: readonly ParentRef[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly RouteRule<M>[];
  };
}

export type PathMatchType = "Exact" | "PathPrefix" | "RegularExpression";

export interface HttpMatch {
  /** Default: the prefix `/`. */
  readonly path?: { readonly type?: PathMatchType; readonly value?: string };
  readonly method?: string;
  readonly headers?: readonly ValueMatch[];
  readonly queryParams?: readonly ValueMatch[];
}

export interface GrpcMatch {
  readonly method?: {
    /** Default Exact. */
    readonly type?: "Exact" | "RegularExpression";
    readonly service?: string;
    readonly method?: string;
  };
  readonly headers?: readonly ValueMatch[];
}

export type HttpRoute = MeshRoute<"HTTPRoute", HttpMatch>;
export type GrpcRoute = MeshRoute<"GRPCRoute", GrpcMatch>;

/** A permission to refer to Services of another namespace. */
export interface ReferenceGrant {
  readonly apiVersion: "gateway.networking.k8s.io/v1beta1";
  readonly kind: "ReferenceGrant";
  readonly metadata: RouteMeta;
  readonly spec: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}

/** Limits of the schemas of HTTPRoute and GRPCRoute. */
export const routeLimits = { rules: 16, matchesPerRule: 64, matchesPerRoute: 128, headersPerMatch: 16 } as const;
