/** Names of parts of routes that a mesh cannot express, as conditions and statuses spell them. The first one that applies is the reason of a condition. */
export const limitationNames = [
  "HoldUnsupported",
  "PercentNotSticky",
  "MiddlewareUnsupported",
  "ConditionUnsupported",
  "RoutesTooComplex",
  "UserRouteUnsupported",
  "CrossNamespaceDenied",
  "ServiceUnsupported",
  "HeaderFormsLimited",
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

export type LimitationName = (typeof limitationNames)[number];
