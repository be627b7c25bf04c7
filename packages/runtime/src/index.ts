// Queue
export type { AddOptions, FailOptions, QueueItem, Retry } from "./queue/queue-item.ts";
export { type QueueMeter, type QueueReadings, WorkQueueMetrics } from "./queue/queue-metrics.ts";
export {
  type BackoffOptions,
  exponentialBackoff,
  type FailedKey,
  maxOf,
  type RetryLimiter,
  tokenBucket,
  type TokenBucketOptions,
} from "./queue/retry-limiter.ts";
export type { DelayedKey, QueueSnapshot, RunningKey, SnapshotKey, WaitingKey } from "./queue/snapshot.ts";
export { type CloseOptions, WorkQueue, type WorkQueueOptions } from "./queue/work-queue.ts";

// Metrics
export { defaultBuckets, exponentialBuckets } from "./metrics/buckets.ts";
export { Counter, CounterSeries } from "./metrics/counter.ts";
export { Gauge, type GaugeOptions, type GaugeReader, GaugeSeries } from "./metrics/gauge.ts";
export { Histogram, type HistogramOptions, HistogramSeries } from "./metrics/histogram.ts";
export type { LabelValues } from "./metrics/labels.ts";
export type { AmountArguments, LabelArguments, Metric, ValueArguments } from "./metrics/metric.ts";
export { Registry, type RegistryOptions } from "./metrics/registry.ts";
export type { MetricOptions } from "./metrics/series.ts";

// Leader election
export { clientLeaseStore, type LeaseCall, type LeaseClient, type LeaseName } from "./election/client-lease-store.ts";
export { elect, type Election } from "./election/elect.ts";
export { ElectionMetrics } from "./election/election-metrics.ts";
export { LeadershipLostError, NotLeaderError, type TermEnd } from "./election/errors.ts";
export type { LeaseStore } from "./election/lease-store.ts";
export { electionIdentity, type ElectionMeter, type ElectionOptions } from "./election/options.ts";
export type { ElectionState } from "./election/state.ts";
export type { Term } from "./election/term.ts";

// Events
export {
  clientEventSink,
  type EventCall,
  type EventClient,
  type EventName,
  type SeriesPatch,
} from "./events/client-event-sink.ts";
export { EventMetrics } from "./events/event-metrics.ts";
export { EventRecorder } from "./events/event-recorder.ts";
export type { EventSink } from "./events/event-sink.ts";
export type { EventRecord, EventSubject } from "./events/make-event.ts";
export type { DroppedEvents, EventDrop } from "./events/drop-log.ts";
export type { EventMeter, EventRecorderOptions } from "./events/options.ts";

// Cache
export {
  Cache,
  type CacheOptions,
  type InformerOptions,
  type InformerStats,
  type PartialObject,
} from "./cache/cache.ts";
export { CacheMetrics } from "./cache/cache-metrics.ts";
export { clientSources, type SourceClient } from "./cache/client-source.ts";
export type { EventHandler } from "./cache/dispatcher.ts";
export { EventExpiredError, InformerClosedError } from "./cache/errors.ts";
export type { EventType, ObjectEvent } from "./cache/event.ts";
export type { InformerHealth } from "./cache/health.ts";
export type { IndexFunction, IndexValues } from "./cache/indexes.ts";
export type { Owners } from "./cache/item.ts";
export type { Informer, ListQuery, Subscription } from "./cache/informer.ts";
export type { BackoffRange } from "./cache/backoff.ts";
export type { MemoLimits } from "./cache/memo.ts";
export type { CacheNote, CacheObserver, WatchEnding } from "./cache/observer.ts";
export type { FieldPath } from "./cache/projection.ts";
export type { ReflectorSettings } from "./cache/reflector.ts";
export type { SelectionOptions } from "./cache/selection.ts";
export type { ListRequest, Source, Sources, SourceSelection, WatchRequest } from "./cache/source.ts";
export type { WriteEvidence, Writer, WriteTicket } from "./cache/writes.ts";

// Pods
export type { MissingObject, PodProblem, PodProblemReason } from "./pods/pod-problem.ts";
export { podProblems, type PodProblemsInput, type PodWorkload } from "./pods/pod-problems.ts";
export { isPodDisrupted, isPodFinished, isPodHanging, podAgeMs } from "./pods/pod-state.ts";

// Workloads
export { type JobEnd, jobEndOf } from "./workloads/job-end.ts";
export { quotaUsage } from "./workloads/quota-usage.ts";
export { isRolloutComplete, type RollingWorkload, type Rollout, rolloutOf } from "./workloads/rollout.ts";

// Controller
export { accessOf, type AccessRule, mergeRules } from "./controller/access.ts";
export type {
  EventNote,
  ReconcileContext,
  ReconcileResult,
  SaveStatusOptions,
  WatchedHandle,
} from "./controller/context.ts";
export type {
  AppliedHandle,
  ApplyOwnedOptions,
  CreatedHandle,
  CreatedObject,
  DeletingHandle,
  ObjectToCreate,
  OwnedHandle,
  OwnedReader,
} from "./writes/handles.ts";
export type {
  ConditionChanges,
  ConditionReasonOf,
  ConditionTypeOf,
  ConditionValue,
  StatusChange,
  StatusOf,
  StatusPlan,
} from "./writes/status-change.ts";
export type { CacheReader } from "./kinds/cache-reader.ts";
export { defineController } from "./controller/define-controller.ts";
export type {
  AccessDefinition,
  Controller,
  ControllerDefinition,
  ErrorPolicy,
  OwnMetrics,
  RetryDefinition,
  RetryInterval,
} from "./controller/definition.ts";
export { projected, type ProjectedObject, type ProjectedType } from "./kinds/projected.ts";
export { combineStatusPlans, type ConditionTexts } from "./controller/status-plan.ts";
export {
  applied,
  type CachedShape,
  created,
  type FollowOptions,
  type IndexFunctions,
  type Keys,
  managed,
  type ManagedKind,
  type OwnedKind,
  type OwnedKinds,
  type OwnedMode,
  type OwnedOptions,
  watched,
  type WatchedKind,
  type WatchedKinds,
  type WatchedOptions,
} from "./kinds/kinds.ts";
export type { Predicate, PredicateEvent } from "./kinds/predicate.ts";
export { when } from "./kinds/predicates.ts";
export { type Source as ControllerSource, source } from "./controller/source.ts";
export { keySource, type KeySource } from "./controller/key-source.ts";

// Managed objects
export {
  desired,
  type DesiredBody,
  type DesiredObject,
  type DesiredOptions,
  type ObjectOutcome,
  type ObjectRef,
  type PlannedAction,
  type Tier,
} from "./managed/desired.ts";
export type { Drift } from "./writes/drift.ts";
export { ManagedObjectsError, type ObjectFailure } from "./managed/errors.ts";
export type { ManagedOptions, ManagedRules } from "./kinds/managed-rules.ts";
export type {
  ConflictPolicy,
  ManagedObjects,
  OwnedQuery,
  PrunedObject,
  PruneOptions,
  SyncOptions,
  SyncResult,
} from "./managed/managed-objects.ts";
export { Ownership, type OwnershipDefinition, type OwnershipMark, type StampedObject } from "./managed/ownership.ts";
export type { OwnedObject } from "./managed/prune.ts";

// History of reconciles
export type {
  ReconcileRecord,
  RecordedDecision,
  RecordedDrift,
  RecordedError,
  RecordedEvent,
  RecordedRead,
  RecordedResult,
  RecordedStep,
  RecordedWrite,
} from "./history/reconcile-record.ts";
export {
  type DriftEntry,
  type Explanation,
  ReconcileHistory,
  type ReconcileHistoryOptions,
  type KeyState,
} from "./history/reconcile-history.ts";

// Log
export type { LogLevel } from "./log/level.ts";
export { recordingLogger, type LogLine } from "./log/keeping-logger.ts";
export { type LogFields, type Logger, silentLogger } from "./log/logger.ts";
export { pinoLogger, type PinoLoggerOptions } from "./log/pino-logger.ts";
export { textLogger, type TextLoggerOptions } from "./log/text-logger.ts";

// Failures of requests
export {
  type ApiFailureFacts,
  type ApiFailureReason,
  classifyApiFailure,
  type ClassifiedApiFailure,
} from "./failures/classify-api-failure.ts";
export { type AdmissionDenier, type Refusal, refusalIn } from "./failures/refusal.ts";

// Writes
export {
  ApplyConflictError,
  BeingDeletedError,
  type FieldConflict,
  type NotOwned,
  NotOwnedError,
} from "./writes/errors.ts";
export type { HotLoopOptions } from "./writes/hot-loops.ts";
export type { WriteNote } from "./writes/journal.ts";
export { ownerUidOf } from "./writes/ownership.ts";
export type { RecordedClient } from "./writes/recorded-client.ts";

// Volumes
export type { VolumeGrowth } from "./volumes/decide-growth.ts";
export { growVolumes, type GrownVolumes, type GrowVolumesOptions, volumeGrowthAccess } from "./volumes/grow-volumes.ts";

// Manager
export type { ManagerClientOptions } from "./manager/clients.ts";
export { PartEndedError, PartFailedError, PartStuckError, ShuttingDownError } from "./manager/errors.ts";
export { createManager, type Manager, type ManagerState } from "./manager/manager.ts";
export type {
  LeaderElectionOptions,
  ManagerHttpOptions,
  ManagerOptions,
  ManagerPreflightOptions,
} from "./manager/options.ts";
export { RestClientMetrics } from "./manager/rest-client-metrics.ts";
export { runUntilSignal, type SignalSource } from "./manager/run-until-signal.ts";
export { afterLeading } from "./manager/after-leading.ts";
export { exposedCollection, IdleMemory, type IdleMemoryOptions, type UsageSource } from "./manager/idle-memory.ts";
export type { ReportMissingNamespace } from "./manager/missing-namespace.ts";
export type { Service, ServiceDefinition, ServiceTools } from "./manager/service.ts";
export type { Check } from "./http/check.ts";
export { ListenError } from "@homeostat/core";
export {
  type HttpAddress,
  type HttpCertificate,
  type HttpGuard,
  type HttpServer,
  type HttpServerOptions,
  serveHttp,
} from "./http/http-server.ts";
export { type Health, healthRoutes } from "./http/health-routes.ts";
export { metricsRoute } from "./http/metrics-route.ts";
export { jsonResponse, type Route, type RouteRequest, type RouteResponse, textResponse } from "./http/route.ts";

// Preflight
export type { MissingKind } from "./preflight/prerequisites.ts";

// Tracing
export { openTelemetryTracing, type OpenTelemetryOptions, spanLogFields } from "./tracing/open-telemetry.ts";
export { type Span, type SpanFields, type SpanOptions, traceHeaders, type Tracing } from "./tracing/tracing.ts";
