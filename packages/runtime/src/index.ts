// Queue
export { type AddOptions, initialListPriority, type QueueItem, type Retry } from "./queue/queue-item.ts";
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
export {
  defaultBuckets,
  exponentialBuckets,
  reconcileTimeBuckets,
  restClientLatencyBuckets,
  restClientSizeBuckets,
  workqueueBuckets,
} from "./metrics/buckets.ts";
export { Counter, CounterSeries } from "./metrics/counter.ts";
export { Gauge, type GaugeReader, GaugeSeries } from "./metrics/gauge.ts";
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
export type { EventDrop, EventMeter, EventRecorderOptions } from "./events/options.ts";

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
export type { IndexFunction } from "./cache/indexes.ts";
export type { Informer, ListQuery, Subscription } from "./cache/informer.ts";
export type { BackoffRange } from "./cache/backoff.ts";
export type { MemoLimits } from "./cache/memo.ts";
export type { CacheNote, CacheObserver, WatchEnding } from "./cache/observer.ts";
export type { FieldPath } from "./cache/projection.ts";
export type { ReflectorSettings } from "./cache/reflector.ts";
export type { SelectionOptions } from "./cache/selection.ts";
export type { ListRequest, Source, Sources, SourceSelection, WatchRequest } from "./cache/source.ts";
export {
  readDeletionAnswer,
  type DeletionAnswer,
  type WriteEvidence,
  type Writer,
  type WriteTicket,
} from "./cache/writes.ts";
