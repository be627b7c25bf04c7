import { type Clock, isEqual, type JsonRecord } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { FieldManager } from "../apply/field-manager.ts";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { resetFieldsOf } from "../apply/reset-fields.ts";
import type { Versions } from "../apply/typed-object.ts";
import { convertTyped } from "../codec/convert-typed.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { typeOfKind } from "../codec/request-object.ts";
import { checkCommonMeta, checkMetaUpdate } from "../validation/metadata-update.ts";
import { keyPrefix } from "../resources/keys.ts";
import type { ServedKind, WriteContext } from "../resources/served-kind.ts";
import { textAt } from "../values/fields.ts";
import { applyKindDefaults } from "./apply-defaults.ts";
import { builtInByResource, builtInKinds } from "./built-in-kinds.ts";
import { builtInTable } from "./built-in-table.ts";
import { checkChangedObject, checkNewObject } from "./check-kind.ts";
import { selectableValue, selectorProblem } from "./field-selectors.ts";
import {
  prepareForCreate,
  prepareForUpdate,
  prepareSubresource,
  statusStrategyOf,
  subresourceResets,
} from "./prepare.ts";
import type { BuiltInKind } from "../resources/resource.ts";
import { kindSchema } from "../resources/schemas.ts";
import { Field } from "../validation/field.ts";
import { createdAtCells } from "../tables/plain-cells.ts";
import { strategyOf } from "./strategies.ts";
import type { Conversion, StatusStrategy } from "./strategy.ts";
import { kindWarnings } from "./warnings.ts";

const merging = new MergeTypes();
const mergeTypes = new Map<string, MergeType | undefined>();

/** Returns a lookup of the stored built-in kinds. Each is built on first use: schemas and Go types are large. */
export function servedBuiltIns(
  clock: Pick<Clock, "now">,
): (group: string, version: string, plural: string) => ServedKind | undefined {
  const made = new Map<BuiltInKind, ServedKind>();
  return (group, version, plural) => {
    const kind = builtInByResource(group, version, plural);
    if (kind?.storage === undefined) return undefined;
    const known = made.get(kind) ?? servedBuiltIn(kind, clock);
    made.set(kind, known);
    return known;
  };
}

function servedBuiltIn(kind: BuiltInKind, clock: Pick<Clock, "now">): ServedKind {
  const apiVersion = apiVersionOf(kind);
  const strategy = strategyOf(kind);
  const storage = kind.storage === undefined || strategy.isStoredAsServed === true ? kind : kind.storage;
  const storedApiVersion = apiVersionOf(storage);
  const isStored = apiVersion === storedApiVersion;
  const convert = isStored ? undefined : strategy.conversions?.[kind.version];
  const managers = new Map<string, FieldManager>();
  const shape = (object: JsonRecord): JsonRecord => shaped(apiVersion, kind.kind, object);
  const complete = (object: JsonRecord): JsonRecord => completed(kind, object);
  return {
    resource: { ...kind, isCustom: false },
    listKind: `${kind.kind}List`,
    traits: kind,
    prefix: keyPrefix(storage.group, kind.plural),
    storedApiVersion,
    fromStored: (object) => (convert === undefined ? object : shape(convert.fromStored(object))),
    toStored: (object) => {
      if (convert === undefined && inShape.has(object)) return object;
      return shaped(storedApiVersion, storage.kind, convert === undefined ? object : convert.toStored(object));
    },
    complete: (object) => ({ object: complete(object), strictErrors: [] }),
    prepareNew: (object, { nowMs, user }) => {
      prepareForCreate(kind, object, { uid: textAt(object, "metadata", "uid"), user, nowMs });
      reshape(apiVersion, kind.kind, object);
    },
    prepareChanged: (object, old, context) => {
      if (context.subresource === "") prepareForUpdate(kind, object, old);
      else prepareSubresource(kind, object, old, context);
      reshape(apiVersion, kind.kind, object);
    },
    checkNew: (object, { emptyPaths }) => checkNewObject(kind, object, emptyPaths),
    checkChanged: (object, old, context) => [
      ...checkCommonMeta(object, kind.scope === "Namespaced", checkMetaUpdate(object, old)),
      ...checkChangedObject(kind, objectToValidate(context, object, old), { old, emptyPaths: context.emptyPaths }),
      ...statusProblems(statusStrategyOf(kind, context.subresource), object, old),
    ],
    warningsOf: (object, old) => kindWarnings(kind, object, old),
    fieldManager: (subresource) => {
      const known = managers.get(subresource) ?? managerOf(kind, subresource, clock);
      managers.set(subresource, known);
      return known;
    },
    table: builtInTable(kind.group, kind.plural) ?? { columns: [], cells: createdAtCells },
    selectorProblem: (selector) => selectorProblem(kind, selector),
    fieldValue: (object, field) => selectableValue(kind, object, field),
    ...(strategy.registryPath === undefined ? {} : { registryPath: strategy.registryPath }),
    ...(strategy.changesGeneration === undefined ? {} : { incrementsGeneration: strategy.changesGeneration }),
    ...(strategy.deprecationWarning === undefined ? {} : { deprecationWarning: strategy.deprecationWarning }),
    ...(strategy.orphanWarning === undefined ? {} : { orphanWarning: strategy.orphanWarning }),
    ...(strategy.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: strategy.gracePeriodSeconds }),
    ...(strategy.termination === undefined ? {} : { termination: strategy.termination }),
    ...strategy.served,
  };
}

function statusProblems(status: StatusStrategy | undefined, object: JsonRecord, old: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  status?.validate?.(new Field(object, "", problems), new Field(old, "", []));
  return problems;
}

/** Returns the object for validation. For a subresource that is the stored object with the new metadata: nothing else changes. */
function objectToValidate({ subresource }: WriteContext, object: JsonRecord, old: JsonRecord): JsonRecord {
  return subresource === "" ? object : { ...old, metadata: object["metadata"] };
}

function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Returns a decoded object with defaults, in the shape that Go encodes. */
function completed(kind: BuiltInKind, object: JsonRecord): JsonRecord {
  const { group, version, kind: word } = kind;
  const decoded = strategyOf(kind).decode?.(object) ?? object;
  return shaped(apiVersionOf(kind), word, applyKindDefaults(group, version, word, decoded));
}

/** Returns an object in the shape that Go encodes: fields in the order of the struct, empty ones omitted according to `omitempty`. */
function shaped(apiVersion: string, kind: string, object: JsonRecord): JsonRecord {
  const { object: made } = convertTyped(typeOfKind({ apiVersion, kind }), object);
  const { kind: _, apiVersion: __, ...rest } = made;
  return { kind, apiVersion, ...rest };
}

/** Shapes an object in place, and remembers that it is done. */
function reshape(apiVersion: string, kind: string, object: JsonRecord): void {
  const made = shaped(apiVersion, kind, object);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, made);
  inShape.add(object);
}

/** Objects that are already shaped. Shaping them again would double the cost of a write. */
const inShape = new WeakSet<JsonRecord>();

function managerOf(kind: BuiltInKind, subresource: string, clock: Pick<Clock, "now">): FieldManager {
  const { group, version, kind: word } = kind;
  // All versions that share the storage: `managedFields` may name any of them, and are converted to compare them with the object.
  const served = builtInKinds
    .filter((each) => each.storage !== undefined && each.plural === kind.plural && isSameStorage(each, kind))
    .map(apiVersionOf);
  return new FieldManager({
    gvk: { group, version, kind: word },
    subresource,
    versions: versionsOf(kind, served),
    resetFields: resetFieldsOf(subresourceResets(kind, subresource), served),
    empty: shaped(apiVersionOf(kind), word, {}),
    complete: (object) => completed(kind, object),
    clock,
  });
}

function isSameStorage(a: BuiltInKind, b: BuiltInKind): boolean {
  return isEqual(a.storage, b.storage);
}

function versionsOf(kind: BuiltInKind, served: readonly string[]): Versions {
  const own = apiVersionOf(kind);
  return {
    typeOf: (apiVersion) => (served.includes(apiVersion) ? mergeType(apiVersion, kind.kind) : undefined),
    convert: (object, apiVersion) => {
      const from = typeof object["apiVersion"] === "string" ? object["apiVersion"] : own;
      if (!served.includes(apiVersion)) return "unknown version";
      try {
        const stored = conversionOf(from, kind.plural)?.toStored(object) ?? object;
        const made = conversionOf(apiVersion, kind.plural)?.fromStored(stored) ?? stored;
        return { object: shaped(apiVersion, kind.kind, made) };
      } catch (error) {
        if (error instanceof DecodeError) return { problem: error.message };
        throw error;
      }
    },
  };
}

function conversionOf(apiVersion: string, plural: string): Conversion | undefined {
  const slash = apiVersion.indexOf("/");
  return strategyOf({ group: apiVersion.slice(0, Math.max(0, slash)), plural }).conversions?.[
    apiVersion.slice(slash + 1)
  ];
}

function mergeType(apiVersion: string, kind: string): MergeType | undefined {
  const key = `${apiVersion} ${kind}`;
  if (mergeTypes.has(key)) return mergeTypes.get(key);
  const at = apiVersion.indexOf("/");
  const schema = kindSchema(apiVersion.slice(0, Math.max(0, at)), apiVersion.slice(at + 1), kind);
  const type = merging.ofObjects(schema);
  mergeTypes.set(key, type);
  return type;
}
