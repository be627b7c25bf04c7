// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// Queue
export { initialListPriority } from "./queue/queue-item.ts";

// Metrics
export { workqueueBuckets } from "./metrics/buckets.ts";

// Controller
export { controllerUnit } from "./controller/controller-unit.ts";
export { correlate } from "./controller/correlation.ts";
export type { EventOutlet } from "./controller/reconcile-task.ts";
export { reconcileOne, type SettledReconcile } from "./controller/reconcile-one.ts";
export type { TermSignals } from "./controller/unit.ts";

// Writes
export { ApplyMemory } from "./writes/apply-memory.ts";
export { ensureFinalizer, releaseFinalizer } from "./writes/finalizer.ts";
export { HotLoops } from "./writes/hot-loops.ts";
export { watchForLoops } from "./writes/loop-watch.ts";
export { ownedHandle } from "./writes/owned-handle.ts";
export { recordedClient } from "./writes/recorded-client.ts";
export { type OwnedInformer, ownerIndex, type ReconcileScope, type WriteReport } from "./writes/reconcile-scope.ts";
export { StatusDraft } from "./writes/status-draft.ts";
export { writeStatus } from "./writes/write-status.ts";
