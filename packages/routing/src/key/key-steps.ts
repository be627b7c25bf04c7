/** Places of a request that a key may come from, in the order in which they are read. */
export type KeySource =
  /** The address by which the request arrived: a preview host, or a local map. */
  | "address"
  | "explicit-header"
  | "group-header"
  | "baggage"
  | "compat-header"
  | "tracestate"
  | "custom-header"
  | "cookie"
  | "query"
  /** The default of the preview host for requests without a key. */
  | "default"
  /** An earlier request of the same trace. The request itself has no key. */
  | "restored";

/** The key of a request. */
export interface FoundKey {
  readonly key: string;
  readonly source: KeySource;
  /** Lower-case name of the header, or name of the member, cookie or parameter; empty for the address and the default. */
  readonly name: string;
}

/** Events of routing that are counted, as values of the label `reason` of `proxy_routing_errors_total`. */
export type RoutingErrorReason =
  | "unknown_key"
  | "invalid_key"
  | "key_conflict"
  | "baggage_truncated"
  | "baggage_full"
  | "unavailable"
  | "loop";

/** Receiver of counted events. */
export type CountError = (reason: RoutingErrorReason) => void;

/** A step of the search for a key, for explanations. */
export type KeyStep =
  /** A value at one of the places. */
  | {
      readonly step: "key";
      readonly source: KeySource;
      readonly name: string;
      /** The value, truncated. */
      readonly value: string;
      readonly result: KeyResult;
    }
  /** A place that was not searched, or not to its end. */
  | { readonly step: "key-source"; readonly source: KeySource | "external"; readonly result: SkippedSource };

/** Effect of a value on the search. */
export type KeyResult =
  /** The value is the key. */
  | "taken"
  /** The value is the key that was found before. */
  | "same"
  /** The value is a key, but another one was found before. */
  | "conflict"
  /** The value is not a routing key. */
  | "invalid"
  /** The value is not a key of the RouteGroups that read this header. */
  | "not-of-group";

/** Reason why a place was not searched. */
export type SkippedSource =
  | "malformed-traceparent"
  | "missing-traceparent"
  | "truncated"
  | "external-keys-not-accepted";
