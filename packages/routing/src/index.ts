// Route tables
export type { FieldProblem } from "./checks/field-reader.ts";
export {
  type CompiledFault,
  type CompiledPort,
  type CompiledRoute,
  type CompiledTable,
  compileTable,
} from "./table/compile-table.ts";
export { type EntryTargets, RouteLookup, type RouteLookupOptions } from "./table/route-lookup.ts";
export type { CompiledConditions, CompiledPath, FailedCondition } from "./table/conditions.ts";
export { type ParsedTable, parseTable } from "./table/parse-table.ts";
export type {
  EntryMatch,
  EntryMiddleware,
  EntryMode,
  EntryPort,
  EntrySource,
  Fault,
  HeaderMatch,
  Interception,
  OnUnavailable,
  PathMatch,
  RouteEntry,
  RouteTable,
  StickyBy,
  TablePort,
} from "./table/route-table.ts";

// Configuration
export {
  defaultRoutingSettings,
  type GroupHeader,
  type ParsedSettings,
  parseRoutingSettings,
  type RoutingSettings,
  type TracestateSettings,
} from "./settings/routing-settings.ts";

// Requests and their key
export { keyHeaderProblem, settableHeaderProblem } from "./checks/header-names.ts";
export { KeyReader, type KeyObserver, type KeyReaderOptions } from "./key/key-reader.ts";
export type {
  CountError,
  FoundKey,
  KeyResult,
  KeySource,
  KeyStep,
  RoutingErrorReason,
  SkippedSource,
} from "./key/key-steps.ts";
export { isRoutingKey } from "./key/routing-key.ts";
export { headerSource } from "./request/header-source.ts";
export { comparablePath } from "./request/path.ts";
export type { HeaderSource, ProxyRole, RequestView } from "./request/request-view.ts";

// Decisions
export { decide, type DecisionContext, type TargetHealth } from "./decide/decide.ts";
export {
  type BaselineDecision,
  type BaselineReason,
  type Decision,
  type DecisionStep,
  endHold,
  type FailDecision,
  type FaultPlan,
  type HoldDecision,
} from "./decide/decision.ts";
export { routeHeader, routeHeaderName, unavailableText } from "./decide/response-texts.ts";
export { stickyBucket } from "./decide/sticky-hash.ts";

// Traces
export { TraceKeys, type TraceKeysOptions } from "./restore/trace-keys.ts";
export { readTraceparent, type Traceparent } from "./key/traceparent.ts";

// Forwarded requests
export type { HeaderEdits } from "./inject/header-edits.ts";
export { type ForwardingInput, type ForwardingPlan, planForwarding } from "./inject/plan-forwarding.ts";

// Explanations
export { explain, type ExplainInput } from "./explain/explain.ts";
export type {
  ExplainedFault,
  ExplainedOutcome,
  ExplainedRoute,
  ExplainedStep,
  ExplainedTarget,
  Explanation,
} from "./explain/explanation.ts";

// Preview hosts
export { type ParsedHost, parsePreviewHost, type PreviewAuth, type PreviewHost } from "./preview/preview-host.ts";
export { previewCookie, previewHeader, previewParameter } from "./preview/preview-names.ts";
export {
  type ForwardSettings,
  noPreviewSettings,
  type ParsedPreview,
  parsePreviewSettings,
  type PreviewKey,
  type PreviewSettings,
} from "./preview/preview-settings.ts";
export { readCookies, withoutCookies } from "./request/cookies.ts";
export { readParameter, withoutParameters } from "./request/query-parameters.ts";

// The stream of a route server
export {
  type EndReason,
  type HostName,
  parseOperation,
  type ReceivedOperation,
  type SentSettings,
  type StreamOperation,
  type TableName,
} from "./stream/operation.ts";
export {
  parseReport,
  type ParsedReport,
  type ReportedActivity,
  reportItemsMax,
  type Sighting,
  type TrafficReport,
} from "./stream/report.ts";
