import { type Clock, deepClone, isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { FieldManager } from "../apply/field-manager.ts";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { resetFieldsOf } from "../apply/reset-fields.ts";
import type { Versions } from "../apply/typed-object.ts";
import { convertTyped } from "../codec/convert-typed.ts";
import { definitionRules } from "../crd/definition-kind.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { typeOfKind } from "../codec/request-object.ts";
import { checkCommonMeta, checkMetaUpdate } from "../crd/check-meta-update.ts";
import { keyPrefix } from "../registry/keys.ts";
import type { ServedKind, Termination, WriteContext } from "../registry/served-kind.ts";
import { createdAtCells } from "../tables/cluster-cells.ts";
import { listAt, numberAt, textAt } from "../tables/read.ts";
import { builtInTable } from "../tables/table.ts";
import { applyKindDefaults } from "./apply-defaults.ts";
import { builtInByResource, builtInKinds } from "./built-in-kinds.ts";
import { checkChangedObject, checkNewObject } from "./check-kind.ts";
import { statusRules } from "./check-status.ts";
import { coreEvent, newerEvent } from "./convert-events.ts";
import { newerAutoscaler, olderAutoscaler } from "./convert-autoscaler.ts";
import { Field } from "./field.ts";
import { selectableValue, selectorProblem } from "./field-selectors.ts";
import { partOf } from "./fill.ts";
import { decodeSecretStrings, prepareForCreate, templateGeneration } from "./prepare-create.ts";
import { prepareSubresource, subresourceResets } from "./prepare-subresource.ts";
import { prepareForUpdate } from "./prepare-update.ts";
import type { BuiltInKind } from "./resource.ts";
import { kindSchema } from "./schemas.ts";
import { kindWarnings } from "./warnings.ts";

const merging = new MergeTypes();
const mergeTypes = new Map<string, MergeType | undefined>();

/** The kinds of Kubernetes itself, each made when it is asked for first. */
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

type Conversion = (object: JsonRecord) => JsonRecord;

/** How an object gets from the stored version to a served one and back, where they differ. */
const conversions: ReadonlyMap<string, { readonly fromStored: Conversion; readonly toStored: Conversion }> = new Map([
  ["events.k8s.io/v1", { fromStored: newerEvent, toStored: coreEvent }],
  ["autoscaling/v1", { fromStored: olderAutoscaler, toStored: newerAutoscaler }],
]);

function servedBuiltIn(kind: BuiltInKind, clock: Pick<Clock, "now">): ServedKind {
  const apiVersion = apiVersionOf(kind);
  // Definitions are said to be stored in a version that is not served any more; here they are kept in the one that is.
  const storage = kind.storage === undefined || kind.plural === "customresourcedefinitions" ? kind : kind.storage;
  const storedApiVersion = apiVersionOf(storage);
  const isStored = apiVersion === storedApiVersion;
  const convert = isStored ? undefined : conversions.get(apiVersion);
  const managers = new Map<string, FieldManager>();
  const ref = `${kind.plural}.${kind.group}`;
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
    complete: (object) => ({ object: complete(object), complaints: [] }),
    prepareNew: (object, { nowMs }) => {
      prepareForCreate(kind, object, { uid: textAt(object, "metadata", "uid"), nowMs });
      reshape(apiVersion, kind.kind, object);
    },
    prepareChanged: (object, old, context) => {
      if (context.subresource === "") prepareForUpdate(kind, object, old);
      else prepareSubresource(kind, object, old, context);
      reshape(apiVersion, kind.kind, object);
    },
    checkNew: (object, { emptied }) => checkNewObject(kind, object, emptied),
    checkChanged: (object, old, context) => [
      ...checkCommonMeta(object, kind.scope === "Namespaced", checkMetaUpdate(object, old)),
      ...checkChangedObject(kind, seenBy(context, object, old), { old, emptied: context.emptied }),
      ...(context.subresource === "status" ? statusProblems(ref, object, old) : []),
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
    ...(ref === "deployments.apps" ? { isNewWish: isNewDeployment } : {}),
    ...(deprecations.has(ref) ? { deprecationWarning: deprecations.get(ref) ?? "" } : {}),
    ...(ref === "jobs.batch" ? { orphansWith: jobWarning } : {}),
    ...(ref === "replicationcontrollers." ? { orphansWith: "" } : {}),
    ...(ref === "pods." ? { graceOf: podGrace } : {}),
    ...(ref === "namespaces." ? { termination: namespaceTermination } : {}),
    ...(ref === "customresourcedefinitions.apiextensions.k8s.io" ? definitionRules : {}),
  };
}

function statusProblems(ref: string, object: JsonRecord, old: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  statusRules.get(ref)?.(new Field(object, "", problems), new Field(old, "", []));
  return problems;
}

/** The checks of a status look at metadata alone: the wish is as it was. */
function seenBy({ subresource }: WriteContext, object: JsonRecord, old: JsonRecord): JsonRecord {
  return subresource === "" ? object : { ...old, metadata: object["metadata"] };
}

function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** What was sent, read as its kind: with defaults, in the shape in which Go prints it. */
function completed(kind: BuiltInKind, object: JsonRecord): JsonRecord {
  const { group, version, kind: word } = kind;
  let read = object;
  if (word === "Secret" && isRecord(object["stringData"])) {
    read = deepClone(object);
    decodeSecretStrings(read);
  }
  if (word === "DaemonSet") read = withTemplateGeneration(read);
  return shaped(apiVersionOf(kind), word, applyKindDefaults(group, version, word, read));
}

/** Reading a DaemonSet makes an annotation of a field that no version shows any more. */
function withTemplateGeneration(object: JsonRecord): JsonRecord {
  if (textAt(object, "metadata", "annotations", templateGeneration) !== "") return object;
  const made = deepClone(object);
  partOf(partOf(made, "metadata"), "annotations")[templateGeneration] = "0";
  return made;
}

/** An object as Go prints its type: keys in their order, what is empty left away or shown. */
function shaped(apiVersion: string, kind: string, object: JsonRecord): JsonRecord {
  const { object: made } = convertTyped(typeOfKind({ apiVersion, kind }), object);
  const { kind: _, apiVersion: __, ...rest } = made;
  return { kind, apiVersion, ...rest };
}

/** The same, in place. */
function reshape(apiVersion: string, kind: string, object: JsonRecord): void {
  const made = shaped(apiVersion, kind, object);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, made);
  inShape.add(object);
}

/** Objects that were just brought into shape: to do so again would cost as much as all the rest of a write. */
const inShape = new WeakSet<JsonRecord>();

function managerOf(kind: BuiltInKind, subresource: string, clock: Pick<Clock, "now">): FieldManager {
  const { group, version, kind: word } = kind;
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
        const stored = conversions.get(from)?.toStored(object) ?? object;
        const made = conversions.get(apiVersion)?.fromStored(stored) ?? stored;
        return { object: shaped(apiVersion, kind.kind, made) };
      } catch (error) {
        if (error instanceof DecodeError) return { problem: error.message };
        throw error;
      }
    },
  };
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

/** The annotations of a Deployment are part of its wish, since its pods were once told of them. */
function isNewDeployment(object: JsonRecord, old: JsonRecord): boolean {
  const annotations = (each: JsonRecord): unknown =>
    isRecord(each["metadata"]) ? (each["metadata"]["annotations"] ?? {}) : {};
  return !isEqual(object["spec"], old["spec"]) || !isEqual(annotations(object), annotations(old));
}

/** Kinds that will go, and what everybody is told who uses them. */
const deprecations: ReadonlyMap<string, string> = new Map([
  ["endpoints.", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
]);

const jobWarning =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** A pod that no node has, or that has ended, needs no time to end. */
function podGrace(pod: JsonRecord, wished: number | undefined): number {
  const phase = textAt(pod, "status", "phase");
  if (textAt(pod, "spec", "nodeName") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  return wished ?? numberAt(pod, "spec", "terminationGracePeriodSeconds");
}

const namespaceTermination: Termination = {
  begin: (namespace) => void (partOf(namespace, "status")["phase"] = "Terminating"),
  isFinal: (namespace) => listAt(namespace, "spec", "finalizers").length === 0,
};
