// One reconcile without a server
export { objectOf, type ObjectFields } from "./reconcile/object-of.ts";
export {
  type ObjectWrite,
  reconcileOnce,
  type ReconcileEvent,
  type ReconcileOnceOptions,
  type ReconcileOnceResult,
} from "./reconcile/reconcile-once.ts";

// Operators on an embedded cluster
export { applyManifests, type ApplyManifestsOptions } from "./operator/apply-manifests.ts";
export { startOperator, type StartedOperator, type StartOperatorOptions } from "./operator/start-operator.ts";

// Webhooks and conversion without a server
export { admit, type AdmitRequest, type AdmitResult } from "./webhooks/admit.ts";
export { convertTo } from "./webhooks/convert-to.ts";

// Waiting
export { eventually, type EventuallyOptions } from "./waiting/eventually.ts";

// Faults
export {
  type AddedFault,
  type FaultyRequest,
  type RequestFault,
  type RequestFaultAction,
  RequestFaults,
} from "./faults/request-faults.ts";

// Errors
export { EventuallyTimeoutError, OperatorNotSettledError, UnknownManifestKindError } from "./errors.ts";
