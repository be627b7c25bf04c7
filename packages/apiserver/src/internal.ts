// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// Kinds
export { applyKindDefaults } from "./kinds/apply-defaults.ts";
export { builtInByKind, builtInByResource, builtInKinds } from "./kinds/built-in-kinds.ts";
export { builtInTable } from "./kinds/built-in-table.ts";
export { checkChangedObject, checkedKinds, checkNewObject } from "./kinds/check-kind.ts";
export { admitPod } from "./kinds/core/pod/admit-pod.ts";
export { decodeSecretStrings } from "./kinds/core/secret/decode.ts";
export { prepareForCreate, prepareForUpdate } from "./kinds/prepare.ts";
export { protectStorage } from "./kinds/protect-storage.ts";
export { kindSchema } from "./resources/schemas.ts";

// Discovery
export { aggregatedDiscovery } from "./discovery/aggregated.ts";
export type { CustomSchema } from "./discovery/custom-document.ts";
export { legacyGroup, legacyGroupList, legacyResourceList } from "./discovery/legacy.ts";
export { aggregatedType } from "./discovery/negotiate.ts";
export { OpenApi } from "./discovery/openapi.ts";
export { encodeSwagger } from "./discovery/swagger-protobuf.ts";
export { groupsOf, resourcesOfDefinition } from "./discovery/served.ts";

// Aggregation
export type { LocalVersion, LocalVersions } from "./aggregation/local-version.ts";

// Apply
export type { ApplyFailure } from "./apply/applied.ts";
export { FieldManager } from "./apply/field-manager.ts";
export { keepManagerTimes } from "./apply/keep-times.ts";
export { managedFieldsOf, withManagedFields, withoutManagedFields } from "./apply/object-managed-fields.ts";
export { type MergeType, MergeTypes } from "./apply/merge-type.ts";
export { resetFieldsOf } from "./apply/reset-fields.ts";
export { type ScaleManagers, scaleManagers } from "./apply/scale-managers.ts";
export type { Versions } from "./apply/typed-object.ts";

// Tables
export { customTable } from "./tables/custom-cells.ts";
export { type IncludeObject, makeTable } from "./tables/table.ts";

// Auth
export {
  type AccessReviewSpec,
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
} from "./auth/access-reviews.ts";
export { type Attributes, forbiddenRefusal } from "./auth/attributes.ts";
export { Authenticator } from "./auth/authenticate.ts";
export { impersonatedUser } from "./auth/impersonation-headers.ts";
export { Impersonation } from "./auth/impersonation.ts";
export { aggregationChanges } from "./auth/rbac/aggregate.ts";
export { defaultPolicy } from "./auth/rbac/default-policy.ts";
export { checkBindingWrite, checkRoleWrite } from "./auth/rbac/escalation.ts";
export type {
  AnyBinding,
  AnyRole,
  ClusterRoleObject,
  RbacObject,
  RoleRefObject,
  SubjectObject,
} from "./auth/rbac/objects.ts";
export { RbacPolicy } from "./auth/rbac/policy.ts";
export { checkRoleRef } from "./auth/rbac/role-ref.ts";
export type { Rule } from "./auth/rbac/rule.ts";
export { Refusal } from "./auth/refusal.ts";
export { reviewSelf, reviewToken } from "./auth/reviews.ts";
export { ServiceAccountTokens, type TokenObject, type TokenPod } from "./auth/service-account-tokens.ts";
export { issueToken, type TokenIssuer } from "./auth/token-request.ts";

// Storage
export { nodeFiles } from "./storage/node-files.ts";
export { openStore } from "./storage/open-store.ts";
export { listPage } from "./storage/page.ts";
export { Store, type ValueSource } from "./storage/store.ts";

// Watch
export { WatchHub } from "./watch/hub.ts";
export { jsonShape } from "./watch/json-shape.ts";
export type { Shape } from "./watch/shape.ts";

// HTTP
export { headerOf } from "./http/handler.ts";
export { DateHeader } from "./http/date-header.ts";
export { infoHandler, pathNotFound } from "./http/info-handler.ts";
export { HttpServer } from "./http/server.ts";
export { statusResponse } from "./http/status-response.ts";

// Requests
export { decodeListOptions } from "./request/list-options.ts";
export {
  decodeCreateOptions,
  decodeDeleteOptions,
  decodeGetOptions,
  decodePatchOptions,
} from "./request/write-options.ts";

// Codec
export { decodeProtobuf } from "./codec/decode-protobuf.ts";
export { decodeTyped } from "./codec/decode-typed.ts";
export { readDeleteBody } from "./codec/delete-body.ts";
export { encodeJson } from "./codec/encode-json.ts";
export { encodeProtobuf } from "./codec/encode-protobuf.ts";
export { openEnvelope, sealEnvelope } from "./codec/envelope.ts";
export { listedMediaTypes } from "./codec/media-types.ts";
export { readJson } from "./codec/read-value.ts";
export { readYaml } from "./codec/read-yaml.ts";
export { type AcceptedObject, type FieldStrictness, readRequestBody } from "./codec/request-body.ts";
export { type StructType, typeTable } from "./codec/type-table.ts";
export { sealWatchFrame } from "./codec/watch-frame.ts";

// Patch
export { patchObject, type PatchType, readApplyBody, readPatchType } from "./patch/patch-request.ts";

// Status
export {
  alreadyExistsStatus,
  badRequestStatus,
  conflictStatus,
  deletePreconditionStatus,
  forbiddenAttemptStatus,
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
export { deleted } from "./status/status.ts";
export { Warnings } from "./status/warnings.ts";
