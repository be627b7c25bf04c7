import { applyStrategicMergePatch, type JsonRecord, StrategicPatchError } from "@homeostat/core";
import { printGo } from "../codec/go-text.ts";
import type { StructType } from "../codec/type-table.ts";
import { ServerPatchError } from "./patch-failure.ts";
import { GoPatchType } from "./patch-type.ts";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the result. Neither argument is changed.
 *
 * The result is not validated: unknown keys and values of another type are found when it is decoded. Throws a {@link
 * ServerPatchError}.
 */
export function applyStrategicPatch(
  type: StructType,
  object: Readonly<JsonRecord>,
  patch: Readonly<JsonRecord>,
): JsonRecord {
  try {
    return applyStrategicMergePatch(object, patch, new GoPatchType(type));
  } catch (error) {
    if (!(error instanceof StrategicPatchError)) throw error;
    throw new ServerPatchError(error.failure, error.describe(printGo), { cause: error });
  }
}
