// Kinds that are answered and not stored: reviews, tokens, bindings, evictions, scales.

import type { Clock, JsonRecord } from "@homeostat/core";
import { FieldManager } from "../apply/field-manager.ts";
import { MergeTypes } from "../apply/merge-type.ts";
import { typeOfKind } from "../codec/request-object.ts";
import { objectOf } from "../codec/zero.ts";
import { kindSchema } from "../kinds/schemas.ts";
import type { BuiltInKind } from "../kinds/resource.ts";
import type { ServedKind } from "../registry/served-kind.ts";

const merging = new MergeTypes();

/** Keeps `managedFields` of objects of a kind that is not stored. */
export function answeredManager(
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
  {
    subresource,
    clock,
    empty = {},
  }: { readonly subresource: string; readonly clock: Pick<Clock, "now">; readonly empty?: JsonRecord },
): FieldManager {
  const type = merging.ofObjects(kindSchema(group, version, kind));
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return new FieldManager({
    gvk: { group, version, kind },
    subresource,
    versions: {
      typeOf: (wanted) => (wanted === apiVersion ? type : undefined),
      convert: () => "unknown version",
    },
    // What Go has where nothing was said is there before anybody writes, and so nobody's.
    empty: { ...objectOf(typeOfKind({ apiVersion, kind }), []), kind, apiVersion, metadata: {}, ...empty },
    clock,
  });
}

/** A resource whose objects are answered and not stored, as admission sees it. */
export function answeredKind(row: BuiltInKind, clock: Pick<Clock, "now">): ServedKind {
  const { group, version, kind, plural } = row;
  const same = (object: JsonRecord): JsonRecord => object;
  return {
    resource: { ...row, isCustom: false },
    listKind: `${kind}List`,
    traits: row,
    prefix: `${group}/${plural}/`,
    storedApiVersion: group === "" ? version : `${group}/${version}`,
    fromStored: same,
    toStored: same,
    complete: (object) => ({ object, complaints: [] }),
    prepareNew: () => undefined,
    prepareChanged: () => undefined,
    checkNew: () => [],
    checkChanged: () => [],
    warningsOf: () => [],
    fieldManager: (subresource) => answeredManager({ group, version, kind }, { subresource, clock }),
    table: { columns: [], cells: () => [] },
    selectorProblem: () => undefined,
    fieldValue: () => "",
  };
}
