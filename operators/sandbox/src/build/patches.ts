// Patches of an entry, applied in order to the Deployment of its fork.

import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  canonicalJson,
  cutText,
  isRecord,
  type JsonRecord,
  ownValue,
  PatchError,
  StrategicPatchError,
  strategicType,
  utf8Length,
} from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import { strategicTypes } from "@homeostat/kubernetes/strategic-types";
import type { EntryPatch } from "../api/sandbox.ts";
import { patchBytesMax, patchesMax } from "../api/spec-services.ts";
import { isDeeperThan, withoutNulls } from "./json-limits.ts";

/** Maximum number of levels of a patch. No field of a Deployment is nearly as deep. */
const depthMax = 64;

/** Maximum size of a patched object as JSON in bytes. The API server refuses objects of more than 1.5 MiB. */
const patchedBytesMax = 1024 * 1024;

/** A patch that cannot be applied. */
export interface PatchProblem {
  /** Index among the patches of the entry. */
  readonly index: number;
  /** JSON Pointer of the problem: in the object for a JSON patch, in the patch otherwise. */
  readonly path: string;
  readonly message: string;
}

/** The result of patches: the patched object, or the first problem. Later patches depend on earlier ones. */
export type Patched = { readonly object: JsonRecord } | { readonly problem: PatchProblem };

const deployment = strategicType(strategicTypes, "apps/v1.Deployment");

/** Applies patches in order. Neither the object nor a patch is changed. Properties that are null are absent in the result. */
export function applyPatches(object: Readonly<JsonRecord>, patches: readonly DeepReadonly<EntryPatch>[]): Patched {
  let patched: JsonRecord = { ...object };
  let bytes = 0;
  for (const [index, patch] of patches.entries()) {
    const fail = (path: string, problem: string): Patched => ({
      problem: { index, path, message: messageOf(patch.type, path, problem) },
    });
    if (index >= patchesMax) return fail("", `the entry has more than ${patchesMax} patches; merge some of them`);
    if (isDeeperThan(patch.value, depthMax)) return fail("", `it has more than ${depthMax} levels; make it flatter`);
    bytes += utf8Length(canonicalJson(patch.value));
    if (bytes > patchBytesMax) return fail("", `the patches have more than ${patchBytesMax} bytes; make them shorter`);
    try {
      const result = applyOne(patched, patch);
      if (!isRecord(result)) return fail("", "its result is not an object; patch fields of the workload");
      patched = result;
    } catch (error) {
      if (error instanceof PatchError) return fail(error.path ?? "", `${operationOf(error)}${error.problem}`);
      if (error instanceof StrategicPatchError) return fail(error.path, error.message);
      throw error;
    }
    // Operations that copy may nest values deeper than any patch is.
    if (isDeeperThan(patched, depthMax)) return fail("", `its result has more than ${depthMax} levels; nest less`);
    if (utf8Length(canonicalJson(patched)) > patchedBytesMax) {
      return fail("", `its result has more than ${patchedBytesMax} bytes; copy or add less`);
    }
  }
  const cleaned = withoutNulls(patched);
  return { object: isRecord(cleaned) ? cleaned : {} };
}

function applyOne(object: Readonly<JsonRecord>, { type, value }: DeepReadonly<EntryPatch>): unknown {
  if (type === "JSON") return applyJsonPatch(object, value, { copiedBytesMax: patchedBytesMax });
  const patch: unknown = value;
  if (!isRecord(patch)) {
    throw new PatchError({ reason: "malformed", problem: "the value is not an object; only JSON patches are lists" });
  }
  return type === "Merge" ? applyMergePatch(object, patch) : applyStrategicMergePatch(object, patch, deployment);
}

function operationOf({ index, op }: PatchError): string {
  if (index === undefined) return "";
  return op === undefined ? `operation ${index}: ` : `operation ${index} (${op}): `;
}

function messageOf(type: EntryPatch["type"], path: string, problem: string): string {
  const place = path === "" ? "" : ` at ${cutText(path, 200)}`;
  return `${type} patch does not apply${place}: ${cutText(problem, 400)}`;
}

/** Returns the labels or annotations of patched metadata that are text, and the keys of those that are not. */
export function textMap(value: unknown): { readonly map: Record<string, string>; readonly wrong: readonly string[] } {
  const map: Record<string, string> = {};
  const wrong: string[] = [];
  if (!isRecord(value)) return { map, wrong };
  for (const key of Object.keys(value)) {
    const text = ownValue(value, key);
    // A key such as __proto__ is no valid label: the API server would refuse it, and assignment would lose it.
    if (typeof text === "string" && key !== "__proto__") map[key] = text;
    else wrong.push(key);
  }
  return { map, wrong };
}
