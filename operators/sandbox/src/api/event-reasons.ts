// Reasons of the events that the operator and its components record.

export const normalEvents = [
  "Created",
  "ForkCreated",
  "ForkReady",
  "ForkRebased",
  "RoutesProgrammed",
  "RouteGroupMatched",
  "RouteGroupUnmatched",
  "Idle",
  "Woken",
  "Extended",
  "Deleting",
  "Deleted",
  "TunnelConnected",
  "TunnelDisconnected",
  "TakenOver",
  "Released",
] as const;

export const warningEvents = [
  "BaselineMissing",
  "BaselineChanged",
  "PatchFailed",
  "LabelsMatchBaseline",
  "QuotaExceeded",
  "RoutingKeyConflict",
  "RouteConflict",
  "ForkFailed",
  "RebaseFailed",
  "VolumeMayBlock",
  "Expiring",
  "Expired",
  "CleanupStuck",
  "TakeoverRestored",
  "SelectorReverted",
  "TunnelLost",
  "LocalNotListening",
  "TunnelRefused",
  "MeshNotFound",
  "HeaderFormsLimited",
  "Denied",
] as const;

export type NormalEvent = (typeof normalEvents)[number];
export type WarningEvent = (typeof warningEvents)[number];
