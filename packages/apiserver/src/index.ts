// Kinds
export { builtInByKind, builtInByResource, builtInKinds, builtInRelease } from "./kinds/built-in-kinds.ts";
export type { BuiltInKind, KindRef, KindTraits, ResourceRow, SubresourceRow } from "./kinds/resource.ts";
export { definitionName, definitionSchema, kindSchema, type KindSchema } from "./kinds/schemas.ts";

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
export {
  type Applied,
  type ApplyFailure,
  FieldManager,
  type FieldManagerOptions,
  type ManagedApply,
  type ManagedUpdate,
  resetFieldsOf,
} from "./apply/field-manager.ts";
export { FieldSet, type FieldSetEntry } from "./apply/field-set.ts";
export { readFields, writeFields } from "./apply/fields-v1.ts";
export { keepManagerTimes, managedFieldsOf, withManagedFields, withoutManagedFields } from "./apply/keep-times.ts";
export { managedFieldsProblem } from "./apply/managed-fields.ts";
export type { ManagerIdentity, ManagerOperation } from "./apply/managers.ts";
export type { ResetFields } from "./apply/ownership.ts";
export type { KeyField, Path, PathElement } from "./apply/path-element.ts";
export { type MergeList, type MergeMap, type MergeType, MergeTypes, type Scalar } from "./apply/merge-type.ts";
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
