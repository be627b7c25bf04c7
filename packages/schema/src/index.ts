// Schemas and what is wrong with them
export {
  type CompiledSchema,
  compileSchema,
  type OtherProblems,
  type Processed,
  type Pruned,
  type UpdateOptions,
} from "./compiled/compile-schema.ts";
export { InvalidSchemaError } from "./compiled/invalid-schema-error.ts";
export { type DeclaredField, dropFields } from "./pruning/drop-fields.ts";
export { entryPath, forbiddenField, formatProblems, invalidField, requiredField } from "./problem/field-problems.ts";
export {
  imageProblems,
  isPrintable,
  labelProblems,
  type LimitAndRequest,
  limitProblems,
  metadataProblems,
  namespaceNameProblems,
  objectNameProblems,
  quantityIn,
  quantityProblems,
  resourceProblems,
} from "./problem/field-rules.ts";
export { isKnownProblem } from "./problem/known-problems.ts";
export { cidrProblems, type IpBlock, ipBlockProblems } from "./problem/network-rules.ts";
export {
  type EnvEntry,
  envProblems,
  httpPathProblems,
  type KeyReference,
  keyReferenceProblems,
  type UpdateStrategy,
  updateStrategyProblems,
} from "./problem/pod-rules.ts";
export {
  causeReason,
  formatProblem,
  formatShortProblem,
  type Problem,
  type ProblemType,
  shortMessage,
} from "./problem/problem.ts";
export { checkSchema, type CheckSchemaOptions } from "./schema-checks/check-schema.ts";
export type { Schema, SchemaType, ValidationRule } from "./structural/schema.ts";
export type { Json } from "./value/json.ts";

// Metadata of objects
export { checkObjectMeta, type MetaRules } from "./metadata/check.ts";

// Fields
export { type Builder, s } from "./builder/s.ts";
export type { DescribedType } from "./builder/embedded.ts";
export type {
  Field,
  FieldInput,
  FieldOutput,
  Fields,
  FieldsInput,
  FieldsOutput,
  Flatten,
  Presence,
} from "./builder/field.ts";
export type { DurationField } from "./builder/duration.ts";
export type { Guard } from "./builder/guard.ts";
export type { IntOrStringField } from "./builder/int-or-string.ts";
export type { JsonField } from "./builder/json-field.ts";
export type { ListField, ListKey, ListWithoutType } from "./builder/list.ts";
export type { MapField } from "./builder/map.ts";
export type { ObjectField, OptionalName } from "./builder/object.ts";
export type { BoolField, NumberField, StringField, StringFormat } from "./builder/scalar.ts";
export type { FieldMethods } from "./builder/state.ts";

// Resources
export type { ObjectOf } from "@homeostat/core";
export { defineResource, type ResourceOfOne, type ResourceOfSeveral } from "./resource/define-resource.ts";
export {
  ageColumn,
  type Column,
  type Identity,
  type ObjectPath,
  type Part,
  type Scale,
  type SeveralVersions,
  type SingleVersion,
  type VersionDefinition,
  type VersionDefinitions,
} from "./resource/definition.ts";
export type { PrinterColumn } from "./resource/columns.ts";
export type {
  Condition,
  ConditionIn,
  ConditionReasons,
  ConditionsDefinition,
  ConditionTypeIn,
} from "./resource/conditions.ts";
export { DefinitionError } from "./problem/definition-error.ts";
export { InvalidObjectError } from "./resource/invalid-object-error.ts";
export type { Names, NamesDefinition } from "./resource/names.ts";
export type { CheckOptions, InputOf, Resource, ResourceVersion, ResourceVersions } from "./resource/resource.ts";
export type { ReadType, ReadTypeOf, WriteType, WriteTypeOf } from "./resource/types.ts";

// Manifests
export type { CrdConversion, CrdVersion, CustomResourceDefinition, WebhookClient } from "./resource/crd.ts";
export { type ReferenceOptions, toReference } from "./text/reference.ts";
export { type CrdOptions, toCrd } from "./resource/to-crd.ts";
export { toYaml } from "./text/yaml.ts";

// Conversion between versions
export { ConversionError, convertedKey } from "./conversion/conversion-error.ts";
export {
  type BodyOf,
  type Conversion,
  type ConversionDefinition,
  type Converted,
  defineConversion,
  type SpokeDefinition,
  type SpokeDefinitions,
} from "./conversion/define-conversion.ts";
export { checkRoundTrips, type RoundTripFault, type RoundTripOptions } from "./conversion/round-trip.ts";

// Source code from CRDs of other projects
export { definitionModule, type DefinitionModule } from "./source/definition-module.ts";
export { type ForeignCrd, type ForeignScale, type ForeignVersion, type ReadCrd, readCrd } from "./source/read-crd.ts";
export { type ForeignKind, typesModule } from "./source/types-module.ts";
