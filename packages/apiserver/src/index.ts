// Server
export {
  type ApiAddress,
  type ApiListenOptions,
  ApiServer,
  type ApiServerOptions,
  type ServerExtension,
  type ServerTools,
} from "./server/api-server.ts";
export { standardOptions, type WholeServerOptions } from "./server/standard-options.ts";
export { systemCall, systemChoice, systemUser } from "./server/system-call.ts";

// Handlers
export { type Admitted, callOf, type ServerParts } from "./handlers/context.ts";
export { type SpecialEndpoint, SpecialEndpoints, type SpecialHandler } from "./handlers/special.ts";

// Registry
export { type Call, resourceOf } from "./registry/call.ts";
export type { Removed } from "./registry/delete-object.ts";
export type { DeletionWish, Propagation } from "./registry/deletion.ts";
export type { Admission, GuardedWrite, RegistryHome, WriteChoice, Written } from "./registry/home.ts";
export { keyPrefix } from "./registry/keys.ts";
export { type CustomKind, Kinds } from "./registry/kinds.ts";
export type { ApiObject } from "./registry/object.ts";
export { Registry } from "./registry/registry.ts";
export type {
  CompletedObject,
  ScalePathsOfKind,
  ServedKind,
  Termination,
  WriteContext,
} from "./registry/served-kind.ts";
export { applySource, patchSource, putSource } from "./registry/sources.ts";
export type { UpdateSource } from "./registry/update-object.ts";
export type { WatchBegun, WatchShapes } from "./registry/watch-objects.ts";

// Kinds
export { applyKindDefaults } from "./kinds/apply-defaults.ts";
export { builtInByKind, builtInByResource, builtInKinds, builtInRelease } from "./kinds/built-in-kinds.ts";
export { checkChangedObject, checkedKinds, checkNewObject } from "./kinds/check-kind.ts";
export { qualityOfService } from "./kinds/pod-quality.ts";
export {
  admitPod,
  type CreateContext,
  decodeSecretStrings,
  prepareForCreate,
  protectStorage,
} from "./kinds/prepare-create.ts";
export { prepareForUpdate } from "./kinds/prepare-update.ts";
export type { BuiltInKind, KindRef, KindTraits, ResourceRow, SubresourceRow } from "./kinds/resource.ts";
export { definitionName, definitionNameOf, definitionSchema, kindSchema, type KindSchema } from "./kinds/schemas.ts";

// Custom resources
export { type AskConversion, CustomResources, type CustomResourcesOptions } from "./crd/custom-resources.ts";
export type { ConversionWebhook, WebhookService } from "./crd/definition.ts";
export { type CustomResourcesExtensionOptions, withCustomResources } from "./crd/extension.ts";
export { checkChangedDefinition, checkDefinitionStatus, checkNewDefinition } from "./crd/check-definition.ts";
export { definitionWarnings, prepareChangedDefinition, prepareNewDefinition } from "./crd/prepare-definition.ts";

// Discovery
export { aggregatedDiscovery, type GroupDiscoveryList, type ResourceDiscovery } from "./discovery/aggregated.ts";
export type { CustomSchema } from "./discovery/custom-document.ts";
export {
  type GroupVersionName,
  legacyGroup,
  legacyGroupList,
  type LegacyResource,
  legacyResourceList,
  legacyVersions,
  storageVersionHash,
} from "./discovery/legacy.ts";
export { aggregatedType, type DiscoveryForm, discoveryForm, documentHash } from "./discovery/negotiate.ts";
export { OpenApi, type OpenApiAnswer } from "./discovery/openapi.ts";
export {
  type CustomDefinition,
  groupsOf,
  resourcesOfDefinition,
  type ServedGroup,
  type ServedResource,
  type ServedVersion,
} from "./discovery/served.ts";
export { compareVersions } from "./discovery/version-order.ts";

// Apply
export { type Conflict, conflictCauses, conflictMessage } from "./apply/conflicts.ts";
export type { Applied, ApplyFailure } from "./apply/applied.ts";
export {
  FieldManager,
  type FieldManagerOptions,
  type ManagedApply,
  type ManagedUpdate,
} from "./apply/field-manager.ts";
export { FieldSet, type FieldSetEntry } from "./apply/field-set.ts";
export { readFields, writeFields } from "./apply/fields-v1.ts";
export { keepManagerTimes } from "./apply/keep-times.ts";
export { managedFieldsProblem } from "./apply/managed-fields.ts";
export { managerName } from "./apply/manager-name.ts";
export type { ManagerIdentity, ManagerOperation } from "./apply/managers.ts";
export { managedFieldsOf, withManagedFields, withoutManagedFields } from "./apply/object-managed-fields.ts";
export type { KeyField, Path, PathElement } from "./apply/path-element.ts";
export { type MergeList, type MergeMap, type MergeType, MergeTypes, type Scalar } from "./apply/merge-type.ts";
export { type ResetFields, resetFieldsOf } from "./apply/reset-fields.ts";
export { type ScaleManagers, scaleManagers, type ScalePaths } from "./apply/scale-managers.ts";
export type { ResolveRef, TypeSchema } from "./apply/type-schema.ts";
export type { Converted, Versions } from "./apply/typed-object.ts";

// Tables
export { builtInColumns, type ColumnDefinition } from "./tables/columns.ts";
export type { CellMaker } from "./tables/built-in-cells.ts";
export { type CustomColumn, customTable } from "./tables/custom-cells.ts";
export { JsonPath } from "./tables/json-path.ts";
export {
  builtInTable,
  type IncludeObject,
  makeTable,
  partialMetadata,
  type Table,
  type TableForm,
  type TableOptions,
  type TableRow,
} from "./tables/table.ts";

// Auth
export {
  type AccessReview,
  type AccessReviewSpec,
  type ReviewedPath,
  type ReviewedResource,
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
  type ReviewRequirement,
  type ReviewSelector,
} from "./auth/access-reviews.ts";
export {
  type Attributes,
  type Authorizer,
  type Decision,
  forbiddenAnswer,
  isPathRequest,
  type PathAttributes,
  type ResourceAttributes,
} from "./auth/attributes.ts";
export {
  type Authenticated,
  Authenticator,
  type AuthenticatorOptions,
  bearerOf,
  type Credentials,
  publicPaths,
} from "./auth/authenticate.ts";
export { type PeerSubject, userOfCertificate, userOfPeer } from "./auth/certificate-user.ts";
export { impersonatedUser } from "./auth/impersonation-headers.ts";
export { Impersonation } from "./auth/impersonation.ts";
export { SigningKey, TokenKey } from "./auth/jwt.ts";
export { aggregatedRules, aggregationChanges, isAggregated } from "./auth/rbac/aggregate.ts";
export { covers } from "./auth/rbac/covers.ts";
export { autoUpdateAnnotation, defaultPolicy, type DefaultPolicy } from "./auth/rbac/default-policy.ts";
export { checkBindingWrite, checkRoleWrite, type RbacWrite } from "./auth/rbac/escalation.ts";
export type {
  AnyBinding,
  AnyRole,
  ClusterRoleBindingObject,
  ClusterRoleObject,
  RbacMeta,
  RbacObject,
  RoleBindingObject,
  RoleObject,
  RoleRefObject,
  SubjectObject,
} from "./auth/rbac/objects.ts";
export { type HeldRules, RbacPolicy, type Unresolved } from "./auth/rbac/policy.ts";
export { mendBinding, type Mending, mendRole } from "./auth/rbac/reconcile.ts";
export { checkRoleRef } from "./auth/rbac/role-ref.ts";
export { type Rule, ruleAllows } from "./auth/rbac/rule.ts";
export { Refusal, unauthorized } from "./auth/refusal.ts";
export { reviewSelf, reviewToken, type TokenReviewSpec, userInfoOf } from "./auth/reviews.ts";
export {
  ServiceAccountTokens,
  type ServiceAccountTokensOptions,
  type TokenHolder,
  type TokenObject,
  type TokenObjects,
  type TokenPod,
} from "./auth/service-account-tokens.ts";
export { parseTokenFile, type StaticToken, StaticTokens } from "./auth/static-tokens.ts";
export {
  type BoundRef,
  makeToken,
  type TokenAnswer,
  type TokenMaker,
  type TokenRequestBody,
} from "./auth/token-request.ts";
export {
  anonymousUser,
  serviceAccountUserName,
  splitServiceAccountUserName,
  type User,
  type UserExtra,
  wellKnown,
  withAuthenticatedGroup,
} from "./auth/user.ts";

// Storage
export { type ContinuePlace, decodeContinue, encodeContinue } from "./storage/continue-token.ts";
export type { Entry, NewValue } from "./storage/entry.ts";
export {
  DataCorruptError,
  DataDiskFullError,
  DataInUseError,
  DataIoError,
  DataPermissionError,
  DataVersionError,
  StorageStoppedError,
} from "./storage/errors.ts";
export type { Files, OpenFile } from "./storage/files.ts";
export type { Change, HistoryLimits, HistoryState } from "./storage/history.ts";
export type { Journal } from "./storage/journal.ts";
export { nodeFiles } from "./storage/node-files.ts";
export { type OpenedStore, openStore, type OpenStoreOptions } from "./storage/open-store.ts";
export type {
  CreateOutcome,
  DeleteOutcome,
  RevisionCompacted,
  RevisionFuture,
  UpdateOutcome,
  ViewOutcome,
} from "./storage/outcomes.ts";
export {
  type ContinueExpired,
  type ContinueInvalid,
  type Listed,
  type ListOutcome,
  listPage,
  type StoreListOptions,
} from "./storage/page.ts";
export type { DataNotice } from "./storage/recover.ts";
export type { FindShared } from "./storage/shared-parts.ts";
export { firstRevision, Store, type StoreOptions, type StoreSnapshot, type ValueSource } from "./storage/store.ts";
export type { KeyRange, View } from "./storage/view.ts";

// Watch
export type { FaultCounts, WatchChoice, WatchFaults } from "./watch/faults.ts";
export { WatchHub, type WatchHubOptions, type Watching, type WatchOutcome } from "./watch/hub.ts";
export { type BookmarkKind, eventLine, jsonShape } from "./watch/json-shape.ts";
export type { EventType, Frame, Shape } from "./watch/shape.ts";
export type { WatchEnd, Watcher, WatchOptions, WatchStart } from "./watch/watcher.ts";

// HTTP
export { type Fault, type FaultAction, Faults, type OrderedFault } from "./http/faults.ts";
export {
  type Answer,
  type AnswerHeaders,
  type Handler,
  headerOf,
  type RequestHeaders,
  type ServerRequest,
  type StreamAnswer,
  textError,
  type WholeAnswer,
} from "./http/handler.ts";
export { type HealthCheck, type HealthChecks, pingCheck } from "./http/health.ts";
export { limitInFlight } from "./http/in-flight.ts";
export { infoHandler, type InfoOptions, pathNotFound } from "./http/info-handler.ts";
export { formatKubeconfig, type KubeconfigContent, writeKubeconfig } from "./http/kubeconfig.ts";
export { answerLocally, type LocalRequest } from "./http/local-request.ts";
export type { HttpObserver } from "./http/observer.ts";
export type { Peer, PeerCertificate } from "./http/peer.ts";
export { HttpServer, type HttpServerOptions, type ListenOptions } from "./http/server.ts";
export { adminIdentity, type ClientIdentity, ServerCertificates, usualHosts } from "./http/server-certificates.ts";
export { statusAnswer } from "./http/status-answer.ts";
export { type VersionInfo, versionInfo } from "./http/version.ts";

// Requests
export { decodeListOptions, type ListOptions, type ResourceVersionMatch } from "./request/list-options.ts";
export { wantsPretty } from "./request/pretty.ts";
export { parseQuery, Query } from "./request/query.ts";
export { badRequest, invalidOptions } from "./request/option-problem.ts";
export { isLongRunning, type RequestInfo, requestInfo } from "./request/request-info.ts";
export { parseRequestTarget, type RequestTarget } from "./request/request-target.ts";
export {
  checkDeleteOptions,
  decodeCreateOptions,
  decodeDeleteOptions,
  decodeGetOptions,
  decodePatchOptions,
  decodeUpdateOptions,
  type DeleteOptions,
  type FieldValidation,
  type GetOptions,
  type PatchOptions,
  type PropagationPolicy,
  readDeleteOptions,
  type WriteOptions,
  type WrittenDeleteOptions,
} from "./request/write-options.ts";

// Codec
export { DecodeError } from "./codec/decode-error.ts";
export { decodeProtobuf } from "./codec/decode-protobuf.ts";
export { type DecodedObject, decodeTyped } from "./codec/decode-typed.ts";
export { readDeleteBody } from "./codec/delete-body.ts";
export { encodeJson } from "./codec/encode-json.ts";
export { encodeProtobuf } from "./codec/encode-protobuf.ts";
export { type Envelope, openEnvelope, sealEnvelope } from "./codec/envelope.ts";
export {
  listedMediaTypes,
  type MediaType,
  mediaTypes,
  negotiateAccept,
  negotiateContentType,
  type Negotiated,
  type Offer,
  plainOffer,
  resourceOffer,
  type Transform,
} from "./codec/media-types.ts";
export { type ReadJson, readJson } from "./codec/read-value.ts";
export { type ReadYaml, readYaml, yamlLengthMax } from "./codec/read-yaml.ts";
export {
  type AcceptedObject,
  bodyBytesMax,
  type FieldStrictness,
  readRequestBody,
  type RequestBody,
} from "./codec/request-body.ts";
export { decodeRequestObject, type ExpectedKind, type RequestObject } from "./codec/request-object.ts";
export {
  type ContainerType,
  type GoType,
  type Member,
  type PlainType,
  type SpecialType,
  type StructType,
  type TypeTable,
  typeTable,
  type WireField,
} from "./codec/type-table.ts";
export { sealWatchFrame } from "./codec/watch-frame.ts";

// Patch
export { applyServerJsonPatch } from "./patch/json-patch.ts";
export { applyServerMergePatch } from "./patch/merge-patch.ts";
export { type PatchTrouble, ServerPatchError } from "./patch/patch-failure.ts";
export {
  type ApplyBody,
  type PatchedObject,
  patchObject,
  type PatchRequest,
  type PatchType,
  readApplyBody,
  readPatchType,
} from "./patch/patch-request.ts";
export { applyStrategicPatch } from "./patch/strategic-merge.ts";

// Status
export {
  alreadyExistsStatus,
  applyConflictStatus,
  type Attempt,
  badRequestStatus,
  bodyTooLargeStatus,
  conflictStatus,
  deletePreconditionStatus,
  expiredStatus,
  forbiddenAttemptStatus,
  forbiddenStatus,
  generateNameConflictStatus,
  goneStatus,
  type GroupKindName,
  type GroupResourceName,
  internalErrorStatus,
  invalidStatus,
  methodNotAllowedStatus,
  methodUnknownStatus,
  modifiedText,
  noSuchResourceStatus,
  notAcceptableStatus,
  notFoundStatus,
  preconditionFailedStatus,
  resourceText,
  serverTimeoutStatus,
  serviceUnavailableStatus,
  storagePreconditionStatus,
  timeoutStatus,
  tooLargeStatus,
  tooManyRequestsStatus,
  tooOldVersionStatus,
  unauthorizedStatus,
  unknownAcceptStatus,
  unknownErrorStatus,
  unknownPatchTypeStatus,
  unprocessableStatus,
  unsupportedMediaTypeStatus,
  versionTooLargeStatus,
} from "./status/refusals.ts";
export {
  deleted,
  failure,
  type Failure,
  type ServerStatus,
  type ServerStatusCause,
  type ServerStatusDetails,
  StatusError,
} from "./status/status.ts";
export { Warnings } from "./status/warnings.ts";

// What a server is given from outside
export type { NodeProvider } from "./special/pod-endpoints.ts";
export type { LogOptions, LogProvider } from "./special/pod-log.ts";
export type { Endpoint, ServiceResolver } from "./admission/webhooks/webhook-client.ts";
