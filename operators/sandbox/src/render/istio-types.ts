// The parts of Istio's VirtualService that the renderer reads and writes. Other fields are copied.

/** A condition on a text. Without any field, the presence of the header is required. */
export interface StringMatch {
  readonly exact?: string;
  readonly prefix?: string;
  /** RE2 expression for the whole value. */
  readonly regex?: string;
}

/** Conditions of a route, which must all hold. */
export interface IstioMatch {
  readonly uri?: StringMatch;
  readonly method?: StringMatch;
  /** Conditions by lower-case name. */
  readonly headers?: Readonly<Record<string, StringMatch>>;
  /** Conditions that no header may meet. */
  readonly withoutHeaders?: Readonly<Record<string, StringMatch>>;
  readonly port?: number;
  readonly ignoreUriCase?: boolean;
  readonly [field: string]: unknown;
}

export interface IstioDestination {
  readonly host: string;
  readonly subset?: string;
  readonly port?: { readonly number?: number };
}

/** Changes of headers. */
export interface IstioHeaders {
  readonly request?: { readonly set?: Readonly<Record<string, string>>; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface WeightedDestination {
  readonly destination: IstioDestination;
  readonly weight?: number;
  readonly headers?: IstioHeaders;
  readonly [field: string]: unknown;
}

/** A route. Istio uses the first matching route of a VirtualService. */
export interface IstioRoute {
  readonly name?: string;
  /** Alternatives; without any, every request matches. */
  readonly match?: readonly IstioMatch[];
  readonly route?: readonly WeightedDestination[];
  readonly delegate?: unknown;
  readonly headers?: IstioHeaders;
  readonly [field: string]: unknown;
}

export interface VirtualService {
  readonly apiVersion: string;
  readonly kind: "VirtualService";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly spec: {
    readonly hosts?: readonly string[];
    readonly http?: readonly IstioRoute[];
    readonly [field: string]: unknown;
  };
}
