import { type Clock, deepClone, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { Field } from "../validation/field.ts";
import type { Problem } from "@homeostat/schema";
import { resourcesOfDefinition } from "../discovery/served.ts";
import type { ServedResource } from "../resources/resource.ts";
import { keyPrefix } from "../resources/keys.ts";
import type { CustomKind } from "../registry/kinds.ts";
import type { ServedKind, WriteContext } from "../resources/served-kind.ts";
import { forbiddenStatus, invalidStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { customTable } from "../tables/custom-cells.ts";
import { checkChangedCustom, checkCustomStatus, checkNewCustom } from "./check-custom.ts";
import { deprecationWarning, finalizerWarnings } from "./custom-warnings.ts";
import { type Definition, isConditionTrue } from "./definition.ts";
import { CustomManagers } from "./custom-managers.ts";
import type { CustomConversion } from "./custom-conversion.ts";
import { fieldOf, recordOf, textOf } from "../values/properties.ts";
import { selectableFields } from "./selectable-fields.ts";
import type { VersionSchema } from "./version-schema.ts";

/** Options of {@link customKinds}. */
export interface CustomKindOptions {
  readonly clock: Pick<Clock, "now">;
  readonly conversion: CustomConversion;
  /**
   * Revision of the definition. Older objects must be pruned and defaulted when they are read; newer ones match the
   * schema as stored. Undefined if there are no older objects.
   */
  readonly revision?: number;
}

/** Returns the kinds of a definition, one per served version, with their OpenAPI schemas. */
export function customKinds(definition: Definition, options: CustomKindOptions): CustomKind[] {
  const { conversion } = options;
  const managers = new CustomManagers(definition, conversion, options.clock);
  const rows = resourcesOfDefinition({
    group: definition.group,
    scope: definition.scope,
    names: definition.acceptedNames,
    versions: definition.versions.map(({ name, isServed, isStored, hasStatus, scale }) => ({
      name,
      served: isServed,
      storage: isStored,
      hasStatus,
      hasScale: scale !== undefined,
    })),
  });
  return rows.flatMap((resource) => {
    const schema = conversion.schemaOf(`${resource.group}/${resource.version}`);
    if (schema === undefined) return [];
    const kind = servedCustom(definition, resource, schema, { ...options, managers });
    return { kind, schema: openApiOf(definition, resource, schema) };
  });
}

function openApiOf(
  { acceptedNames: { listKind } }: Definition,
  { group, version, kind, plural, scope }: ServedResource,
  { version: { schema = {}, hasStatus, scale, selectableFields: paths } }: VersionSchema,
): CustomKind["schema"] {
  return {
    group,
    version,
    kind,
    listKind,
    plural,
    scope,
    hasStatus,
    hasScale: scale !== undefined,
    schema,
    ...(paths.length === 0 ? {} : { selectableFields: paths }),
  };
}

function servedCustom(
  definition: Definition,
  resource: ServedResource,
  schema: VersionSchema,
  { conversion, managers, revision }: CustomKindOptions & { readonly managers: CustomManagers },
): ServedKind {
  const { apiVersion, version } = schema;
  const { hasStatus, scale } = version;
  const checked = { schema, isNamespaced: definition.scope === "Namespaced" };
  const warning = deprecationWarning(definition, version.name);
  const isNullableStatus = version.schema?.properties?.["status"]?.nullable === true;
  const isTerminating = isConditionTrue(definition, "Terminating");
  // Objects with hidden fields must be pruned on every read.
  const identicalSinceRevision = schema.canHideFields ? Infinity : revision;
  return {
    resource,
    listKind: definition.acceptedNames.listKind,
    traits: {
      hasGeneration: true,
      hasStatus,
      deletesGracefully: false,
      allowsUnconditionalUpdate: false,
      allowsCreateOnUpdate: false,
      returnsDeletedObject: false,
    },
    prefix: keyPrefix(definition.group, resource.plural),
    storedApiVersion: conversion.storedApiVersion,
    fromStored: (object) => conversion.fromStored(object, apiVersion),
    fromStoredAll: (objects) => conversion.fromStoredAll(objects, apiVersion),
    toStored: (object) => conversion.toStored(object),
    complete: (object, strictness) => {
      // An object of another kind cannot be decoded here; validation refuses it later.
      if (textOf(object, "kind") !== resource.kind) return { object, strictErrors: [] };
      const read = schema.complete(object);
      return strictness === "Ignore" ? { ...read, strictErrors: [] } : read;
    },
    completeAdmitted: (object) => (textOf(object, "kind") === resource.kind ? schema.applyDefaults(object) : object),
    prepareNew: (object) => {
      if (isTerminating) throw new StatusError(terminatingStatus(resource, object));
      if (hasStatus) delete object["status"];
    },
    prepareChanged: (object, old, context) => {
      // A null that the schema does not allow counts as absent. A status from an apply was not decoded, so this is
      // checked here.
      const isAbsent = context.subresource === "status" && object["status"] === null && !isNullableStatus;
      if (isAbsent) delete object["status"];
      prepareChanged(object, old, context, hasStatus);
    },
    checkNew: (object) => {
      checkType(object, resource);
      return checkNewCustom(object, checked);
    },
    checkChanged: (object, old, { subresource }) => {
      checkType(object, resource);
      if (subresource === "status") return checkCustomStatus(object, old, checked);
      return checkChangedCustom(object, old, checked);
    },
    warningsOf: finalizerWarnings,
    fieldManager: (subresource) => managers.of(schema, subresource),
    table: customTable(version.columns),
    ...selectableFields(definition, version),
    withConversions: (work) => conversion.withConversions(work),
    scaleManagerPaths: managers.scalePaths,
    ...(identicalSinceRevision === undefined ? {} : { identicalSinceRevision }),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    ...(scale === undefined ? {} : { scale }),
  };
}

/** Refuses an object of another kind. The message names the kind that the object declares. */
function checkType(object: JsonRecord, { group, kind }: ServedResource): void {
  const problems: Problem[] = [];
  const declaredKind = new Field(object, "", problems).at("kind");
  if (declaredKind.text === kind) return;
  declaredKind.invalid(`must be ${kind}`);
  const name = textOf(recordOf(object, "metadata"), "name");
  throw new StatusError(invalidStatus({ group, kind: declaredKind.text }, name, problems));
}

function terminatingStatus({ group, plural }: ServedResource, object: JsonRecord): ReturnType<typeof forbiddenStatus> {
  const name = textOf(recordOf(object, "metadata"), "name");
  const why = "create not allowed while custom resource definition is terminating";
  return forbiddenStatus({ group, resource: plural }, name, why);
}

/**
 * Keeps each endpoint to its own part: the status endpoint writes only the status, the main endpoint everything else.
 */
function prepareChanged(object: JsonRecord, old: JsonRecord, { subresource }: WriteContext, hasStatus: boolean): void {
  if (subresource === "status") {
    const own = { ...old, metadata: { ...recordOf(old, "metadata") } };
    const next = withManagedFields(own, managedFieldsOf(object));
    const status = fieldOf(object, "status");
    for (const key of Object.keys(object)) delete object[key];
    for (const [key, value] of Object.entries(next)) if (key !== "status") safeSet(object, key, value);
    if (status !== undefined) object["status"] = status;
    return;
  }
  if (!hasStatus) return;
  const status = fieldOf(old, "status");
  if (status === undefined) delete object["status"];
  else object["status"] = isRecord(status) ? deepClone(status) : status;
}
