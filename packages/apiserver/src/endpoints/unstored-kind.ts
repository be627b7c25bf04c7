// Kinds whose objects exist only in a request and its response and are never stored: reviews, tokens, bindings, evictions, scales.

import type { Clock, JsonRecord } from "@homeostat/core";
import { FieldManager } from "../apply/field-manager.ts";
import { MergeTypes } from "../apply/merge-type.ts";
import { typeOfKind } from "../codec/request-object.ts";
import { objectOf } from "../codec/zero.ts";
import { kindSchema } from "../resources/schemas.ts";
import type { BuiltInKind } from "../resources/resource.ts";
import type { ServedKind } from "../resources/served-kind.ts";

const merging = new MergeTypes();

/** Returns the field manager of a kind that is not stored. */
export function unstoredManager(
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
    // Zero values of the Go struct exist before the first write, so no manager owns them.
    empty: { ...objectOf(typeOfKind({ apiVersion, kind }), []), kind, apiVersion, metadata: {}, ...empty },
    clock,
  });
}

/** Returns the `ServedKind` of a resource that is not stored, for admission and response encoding. It neither prepares nor validates. */
export function unstoredKind(row: BuiltInKind, clock: Pick<Clock, "now">): ServedKind {
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
    complete: (object) => ({ object, strictErrors: [] }),
    prepareNew: () => undefined,
    prepareChanged: () => undefined,
    checkNew: () => [],
    checkChanged: () => [],
    warningsOf: () => [],
    fieldManager: (subresource) => unstoredManager({ group, version, kind }, { subresource, clock }),
    table: { columns: [], cells: () => [] },
    selectorProblem: () => undefined,
    fieldValue: () => "",
  };
}
