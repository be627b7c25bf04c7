// Server
export {
  type ApiAddress,
  type ApiListenOptions,
  ApiServer,
  type ApiServerOptions,
  type OpenServerOptions,
  type ServerExtension,
  type ServerTools,
} from "./server/api-server.ts";
export { standardOptions, type StandardServerOptions } from "./server/standard-options.ts";

// Handlers
export type { AuthorizedRequest, ServerParts } from "./handlers/context.ts";
export { type SpecialEndpoint, SpecialEndpoints, type SpecialHandler } from "./handlers/special-endpoints.ts";

// Registry
export type { Call } from "./registry/call.ts";
export type { DeleteResult } from "./registry/delete-object.ts";
export type { DeletionRequest, Propagation } from "./registry/deletion.ts";
export type { Admission, GuardedWrite, RegistryContext, RegistryWriteOptions, Written } from "./registry/context.ts";
export { type CustomKind, Kinds } from "./registry/kinds.ts";
export type { ApiObject } from "./registry/api-object.ts";
export { Registry } from "./registry/registry.ts";
export type {
  CompletedObject,
  ScalePathsOfKind,
  ServedKind,
  Termination,
  WriteContext,
} from "./resources/served-kind.ts";
export type { UpdateSource } from "./registry/update-object.ts";
export type { WatchStartResult, WatchShapes } from "./registry/watch-objects.ts";

// Kinds
export { applyKindDefaults } from "./kinds/apply-defaults.ts";
export { builtInByKind, builtInByResource, builtInKinds } from "./kinds/built-in-kinds.ts";
export { builtInRelease } from "./resources/release.ts";
export { builtInTable } from "./kinds/built-in-table.ts";
export { checkChangedObject, checkedKinds, checkNewObject } from "./kinds/check-kind.ts";
export { admitPod } from "./kinds/core/pod/admit-pod.ts";
export { decodeSecretStrings } from "./kinds/core/secret/decode.ts";
export { prepareForCreate, prepareForUpdate } from "./kinds/prepare.ts";
export { protectStorage } from "./kinds/protect-storage.ts";
export type {
  BuiltInKind,
  KindRef,
  KindTraits,
  ResourceRow,
  SubresourceRow,
  ServedResource,
} from "./resources/resource.ts";
export { kindSchema, type KindSchema } from "./resources/schemas.ts";
export type { CreateContext } from "./kinds/strategy.ts";

// Custom resources
export type { CustomResourcesExtensionOptions } from "./server/custom-resources-extension.ts";

// Discovery
export { aggregatedDiscovery, type GroupDiscoveryList, type ResourceDiscovery } from "./discovery/aggregated.ts";
export type { CustomSchema } from "./discovery/custom-document.ts";
export { legacyGroup, legacyGroupList, legacyResourceList } from "./discovery/legacy.ts";
export { aggregatedType } from "./discovery/negotiate.ts";
export { OpenApi, type OpenApiResponse } from "./discovery/openapi.ts";
export { encodeSwagger } from "./discovery/swagger-protobuf.ts";
export {
  type CustomDefinition,
  groupsOf,
  resourcesOfDefinition,
  type ServedGroup,
  type ServedVersion,
} from "./discovery/served.ts";

// Apply
export type { Conflict } from "./apply/conflicts.ts";
export type { Applied, ApplyFailure } from "./apply/applied.ts";
export {
  FieldManager,
  type FieldManagerOptions,
  type ManagedApply,
  type ManagedUpdate,
} from "./apply/field-manager.ts";
export { FieldSet, type FieldSetEntry } from "./apply/field-set.ts";
export { keepManagerTimes } from "./apply/keep-times.ts";
export type { ManagerIdentity, ManagerOperation } from "./apply/managers.ts";
export { managedFieldsOf, withManagedFields, withoutManagedFields } from "./apply/object-managed-fields.ts";
export type { Path, PathElement } from "./apply/path-element.ts";
export { type MergeList, type MergeMap, type MergeType, MergeTypes, type Scalar } from "./apply/merge-type.ts";
export { type ResetFields, resetFieldsOf } from "./apply/reset-fields.ts";
export { type ScaleManagers, scaleManagers, type ScalePaths } from "./apply/scale-managers.ts";
export type { ResolveRef, TypeSchema } from "./apply/type-schema.ts";
export type { Converted, Versions } from "./apply/typed-object.ts";

// Tables
export type { ColumnDefinition } from "./tables/columns.ts";
export { type CustomColumn, customTable } from "./tables/custom-cells.ts";
export {
  type CellMaker,
  type IncludeObject,
  makeTable,
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
  forbiddenRefusal,
  type PathAttributes,
  type ResourceAttributes,
} from "./auth/attributes.ts";
export { type Authenticated, Authenticator, type AuthenticatorOptions, type Credentials } from "./auth/authenticate.ts";
export type { PeerSubject } from "./auth/certificate-user.ts";
export { impersonatedUser } from "./auth/impersonation-headers.ts";
export { Impersonation } from "./auth/impersonation.ts";
export { SigningKey, TokenKey } from "./auth/jwt.ts";
export { aggregationChanges } from "./auth/rbac/aggregate.ts";
export { defaultPolicy, type DefaultPolicy } from "./auth/rbac/default-policy.ts";
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
export { checkRoleRef } from "./auth/rbac/role-ref.ts";
export type { Rule } from "./auth/rbac/rule.ts";
export { Refusal } from "./auth/refusal.ts";
export { reviewSelf, reviewToken, type TokenReviewSpec } from "./auth/reviews.ts";
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
  issueToken,
  type TokenResponse,
  type TokenIssuer,
  type TokenRequestBody,
} from "./auth/token-request.ts";
export type { User, UserExtra } from "./auth/user.ts";

// Storage
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
export type { Journal, JournalListener } from "./storage/journal.ts";
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
export { Store, type StoreOptions, type StoreSnapshot, type ValueSource } from "./storage/store.ts";
export type { KeyRange, View } from "./storage/view.ts";

// Watch
export type { FaultCounts, WatchChoice, WatchFaults } from "./watch/faults.ts";
export { WatchHub, type WatchHubOptions, type Watching, type WatchOutcome } from "./watch/hub.ts";
export { type BookmarkKind, jsonShape } from "./watch/json-shape.ts";
export type { EventType, Frame, Shape } from "./watch/shape.ts";
export type { WatchEnd, Watcher, WatchOptions, WatchStart } from "./watch/watcher.ts";

// HTTP
export { type Fault, type FaultAction, Faults, type ActiveFault } from "./http/faults.ts";
export {
  type HandlerResponse,
  type ResponseHeaders,
  type Handler,
  headerOf,
  type RequestHeaders,
  type ServerRequest,
  type StreamResponse,
  type BufferedResponse,
} from "./http/handler.ts";
export { DateHeader } from "./http/date-header.ts";
export type { HealthCheck, HealthChecks } from "./http/health.ts";
export { infoHandler, type InfoOptions, pathNotFound } from "./http/info-handler.ts";
export { type KubeconfigContent, writeKubeconfig } from "./http/kubeconfig.ts";
export { handleLocally, type LocalFaults, type LocalRequestOptions, type LocalRequest } from "./http/local-request.ts";
export type { HttpObserver } from "./http/observer.ts";
export type { Peer, PeerCertificate } from "./http/peer.ts";
export { HttpServer, type HttpServerOptions, type ListenOptions } from "./http/server.ts";
export { adminIdentity, type ClientIdentity, ServerCertificates } from "./http/server-certificates.ts";
export { statusResponse } from "./http/status-response.ts";
export type { VersionInfo } from "./http/version.ts";

// Requests
export { decodeListOptions, type ListOptions, type ResourceVersionMatch } from "./request/list-options.ts";
export { Query } from "./request/query.ts";
export type { RequestInfo } from "./request/request-info.ts";
export {
  decodeCreateOptions,
  decodeDeleteOptions,
  decodeGetOptions,
  decodePatchOptions,
  type DeleteOptions,
  type FieldValidation,
  type GetOptions,
  type PatchOptions,
  type PropagationPolicy,
  type WriteOptions,
} from "./request/write-options.ts";

// Codec
export { DecodeError } from "./codec/decode-error.ts";
export { decodeProtobuf } from "./codec/decode-protobuf.ts";
export { type DecodedObject, decodeTyped } from "./codec/decode-typed.ts";
export { readDeleteBody } from "./codec/delete-body.ts";
export { encodeJson } from "./codec/encode-json.ts";
export { encodeProtobuf } from "./codec/encode-protobuf.ts";
export { type Envelope, openEnvelope, sealEnvelope } from "./codec/envelope.ts";
export { listedMediaTypes } from "./codec/media-types.ts";
export { type ReadJson, readJson } from "./codec/read-value.ts";
export { type ReadYaml, readYaml } from "./codec/read-yaml.ts";
export { type AcceptedObject, type FieldStrictness, readRequestBody, type RequestBody } from "./codec/request-body.ts";
export type { ExpectedKind } from "./codec/request-object.ts";
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
export {
  type ApplyBody,
  type PatchedObject,
  patchObject,
  type PatchRequest,
  type PatchType,
  readApplyBody,
  readPatchType,
} from "./patch/patch-request.ts";

// Status
export {
  alreadyExistsStatus,
  type Attempt,
  badRequestStatus,
  conflictStatus,
  deletePreconditionStatus,
  forbiddenAttemptStatus,
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
  unauthorizedStatus,
  unknownAcceptStatus,
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

// Interfaces that a server takes as options
export type { NodeProvider, LogOptions, LogProvider } from "./endpoints/node-provider.ts";
export type { Endpoint, ServiceResolver } from "./admission/webhooks/webhook-client.ts";
