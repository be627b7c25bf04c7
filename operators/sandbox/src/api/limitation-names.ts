// Names of limitations: parts of routes that a mesh cannot express. Conditions and statuses contain them.

/** Limitations of single routes and Services. The first one that applies is the reason of the condition. */
export const tableLimitations = [
  "HoldUnsupported",
  "PercentNotSticky",
  "MiddlewareUnsupported",
  "ConditionUnsupported",
  "RoutesTooComplex",
  "UserRouteUnsupported",
  "CrossNamespaceDenied",
  "ServiceUnsupported",
  "HeaderFormsLimited",
] as const;

/** Limitations of a renderer, for all tables. The documentation lists them; no status repeats them. */
const rendererLimitations = [
  "TracestateUnsupported",
  "KeyOrderUndefined",
  "RepeatedKeyHeaderUnsupported",
  "EncodedKeysUnsupported",
  "BaggageRulesUnsupported",
  "PathNormalizationUndefined",
  "DotSegmentsUnsupported",
  "ProbesRouted",
  "NodeRequestsRouted",
  "PreviewUnsupported",
] as const;

export type LimitationName = (typeof tableLimitations)[number] | (typeof rendererLimitations)[number];
