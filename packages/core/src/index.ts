// Command lines
export { parseIntegerOption, parseOptions } from "./command-line/options.ts";
export { completionScript, type CompletionShell, completionShells } from "./command-line/completion-script.ts";
export { CommandStartError, exitCodeOf, failureTextOf, UsageError } from "./command-line/usage-error.ts";

// Connection limits of servers
export type { ConnectionLimits } from "./connections/connection-table.ts";
export {
  ConnectionLimiter,
  type LimitConnectionsOptions,
  limitConnections,
  type LimitedRequest,
  type LimitedResponse,
  type LimitedServer,
  type LimitedSocket,
} from "./connections/limit-connections.ts";

// Errors
export { apiErrorFrom, type FailedResponse } from "./failures/api-error-from.ts";
export { ApiError, type ApiFailure, type ApiRequest } from "./failures/api-error.ts";
export {
  AlreadyExistsError,
  ApiTimeoutError,
  BadRequestError,
  ConflictError,
  type ConflictKind,
  ExpiredError,
  ForbiddenError,
  GoneError,
  InternalServerError,
  InvalidError,
  MethodNotAllowedError,
  NotAcceptableError,
  NotFoundError,
  RequestTooLargeError,
  ServerTimeoutError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
} from "./failures/api-errors.ts";
export { ArgumentError } from "./errors/argument-error.ts";
export { classify, outcomeOf, retryAfterMsOf } from "./failures/classify.ts";
export { DeadlineError } from "./errors/deadline-error.ts";
export { type ErrorClass, HomeostatError } from "./errors/error.ts";
export type { WriteOutcome } from "./failures/failure-row.ts";
export { type JsonLimit, JsonLimitError, type JsonLimitFailure } from "./errors/json-limit-error.ts";
export { ListenError } from "./errors/listen-error.ts";
export { NetworkError, type NetworkFailure } from "./failures/network-error.ts";
export { ParseError, type ParseFailure } from "./errors/parse-error.ts";
export { TerminalError, TransientError } from "./errors/reconcile-errors.ts";
export { type ResponseHeaders, readRetryAfter } from "./failures/retry-after.ts";
export { readStatusBody, type StatusBody, type StatusCause, type StatusDetails } from "./failures/status-body.ts";

// Objects and kinds
export { formatApiVersion, type GroupVersion, parseApiVersion } from "./objects/api-version.ts";
export {
  type Condition,
  type ConditionChange,
  type ConditionStatus,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./objects/conditions.ts";
export { addFinalizer, type Finalizable, hasFinalizer, removeFinalizer } from "./objects/finalizers.ts";
export {
  formatGroupKind,
  formatGroupResource,
  formatGvk,
  formatGvr,
  gvkOf,
  isSameGvk,
  type Typed,
} from "./objects/identity.ts";
export { imageLengthMax, type ImageReference, parseImage } from "./objects/image.ts";
export { formatKey, keyOf, type Named, type ObjectKey, parseKey } from "./objects/key.ts";
export type {
  GroupVersionKind,
  GroupVersionResource,
  ObjectOf,
  ResourceType,
  Scope,
  WritableResourceType,
} from "./objects/kind.ts";
export {
  dns1035LabelProblems,
  dnsLabelLengthMax,
  dnsLabelProblems,
  dnsSubdomainLengthMax,
  dnsSubdomainProblems,
  maskTrailingDash,
  pathSegmentPrefixProblems,
  pathSegmentProblems,
} from "./objects/names.ts";
export { asStored } from "./objects/stored.ts";
export type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference, Stored } from "./objects/object.ts";
export type { DeepReadonly } from "./value/deep-readonly.ts";
export { OwnerConflictError, OwnerScopeError } from "./objects/owner-errors.ts";
export {
  controllerOf,
  isOwnedBy,
  type Ownable,
  type Owner,
  type OwnerReferenceOptions,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./objects/owners.ts";
export { type NameForm, safeName, type SafeNameOptions } from "./objects/safe-name.ts";

// Pod Security Standards
export {
  appArmorAnnotationPrefix,
  isBaselineAppArmorAnnotation,
  isBaselineCapability,
  isBaselineProfileType,
  isBaselineSELinuxType,
  isBaselineSysctl,
} from "./pod-security/baseline.ts";
export {
  comparePodSecurityLevels,
  parsePodSecurityVersion,
  podSecurityLabelPrefix,
  type PodSecurityLevel,
  podSecurityLevels,
} from "./pod-security/levels.ts";
export { restrictedContainerContext, restrictedPodContext } from "./pod-security/restricted.ts";

// JSON-like values
export { type BoundedJsonOptions, checkJsonLimits, type JsonLimits, parseBoundedJson } from "./value/bounded-json.ts";
export { canonicalJson } from "./value/canonical-json.ts";
export { deepClone } from "./value/clone.ts";
export { isEqual } from "./value/equality.ts";
export { deepFreeze } from "./value/freeze.ts";
export { GrowingBytes, type GrowingBytesOptions } from "./value/growing-bytes.ts";
export { once } from "./value/once.ts";
export { cutText, quoteText } from "./value/text.ts";
export { codePointLength, utf8Length } from "./value/utf8.ts";
export {
  fillDefaults,
  isList,
  isPlainRecord,
  isRecord,
  type JsonRecord,
  ownValue,
  safeSet,
  withoutUndefined,
} from "./value/record.ts";

// Patches
export { diffJsonPatch, type DiffJsonPatchOptions } from "./patch/diff-json-patch.ts";
export { diffMergePatch } from "./patch/diff-merge-patch.ts";
export { applyJsonPatch, type JsonPatchLimits, type JsonPatchOperation } from "./patch/json-patch.ts";
export { applyMergePatch } from "./patch/merge-patch.ts";
export { PatchError, type PatchFailure, type PatchFailureReason } from "./patch/patch-error.ts";
export { formatPointer, parsePointer, readPointer, withPointer } from "./patch/pointer.ts";
export { type MessagePart, type StrategicFailure, StrategicPatchError } from "./patch/strategic-error.ts";
export { applyStrategicMergePatch } from "./patch/strategic-merge.ts";
export { type StrategicRow, type StrategicTable, strategicType } from "./patch/strategic-table.ts";
export type { StrategicField, StrategicType } from "./patch/strategic-type.ts";

// Quantities
export { quantityFromJSON } from "./quantity/json-quantity.ts";
export { isQuantity, parseQuantity } from "./quantity/parse-quantity.ts";
export { Quantity, quantityFromInteger, quantityFromMilli, type QuantityParts } from "./quantity/quantity.ts";
export { QuantityRangeError } from "./quantity/range-error.ts";
export type { QuantityFormat } from "./quantity/suffix.ts";

// Clock and randomness
export { abortable } from "./seams/abortable.ts";
export { type Clock, sleepOn, type Timer, type TimeoutSignal, timeoutOn } from "./seams/clock.ts";
export { FakeClock, FakeClockError, type FakeClockOptions } from "./seams/fake-clock.ts";
export { OffsetClock } from "./seams/offset-clock.ts";
export { jitter, nameSuffix, type Random, uuid } from "./seams/random.ts";
export { SeededRandom } from "./seams/seeded-random.ts";
export { systemClock } from "./seams/system-clock.ts";
export { systemRandom } from "./seams/system-random.ts";
export { atEndOfTurn, nextTurn } from "./seams/turn.ts";
export { TurnQueue } from "./seams/turn-queue.ts";

// Selectors
export {
  escapeFieldValue,
  type FieldGetter,
  type FieldRequirement,
  FieldSelector,
} from "./selectors/field-selector.ts";
export { LabelSelector } from "./selectors/label-selector.ts";
export {
  labelSelectorFrom,
  labelSelectorProblems,
  type LabelSelectorExpression,
  type LabelSelectorObject,
} from "./selectors/label-selector-object.ts";
export type { Labels } from "./selectors/match-requirement.ts";
export { parseFieldSelector } from "./selectors/parse-field-selector.ts";
export { parseLabelSelector } from "./selectors/parse-label-selector.ts";
export { labelValueProblems, qualifiedNameProblems } from "./objects/qualified-name.ts";
export type { LabelOperator, LabelRequirement } from "./selectors/requirement.ts";
export { InvalidSelectorError, type SelectorProblem } from "./selectors/selector-error.ts";

// Durations and times
export { daysInMonth } from "./time/calendar.ts";
export {
  durationFromMs,
  durationToMs,
  formatDuration,
  formatElapsedMs,
  parseDuration,
  tryParseDuration,
} from "./time/duration.ts";
export { formatHttpDate, parseHttpDate } from "./time/http-date.ts";
export { humanDuration } from "./time/human-duration.ts";
export { formatMicroTime, microsFromMs, microsToMs, parseMicroTime } from "./time/micro-time.ts";
export { type Instant, parseInstant } from "./time/rfc3339.ts";
export { formatTime, parseTime, tryParseTime } from "./time/time.ts";
export { releaseVersion } from "./release-version.ts";
