import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { printGo } from "../codec/go-text.ts";
import { ServerPatchError } from "./patch-failure.ts";
import { goTypeName } from "./strategic-order.ts";

/** Returns the error for an unknown `$patch` directive. */
export function badDirective(directive: unknown, patch: JsonRecord): ServerPatchError {
  const printed = typeof directive === "string" ? directive : `%!s(${goTypeName(directive)}=${printGo(directive)})`;
  return new ServerPatchError("unknown", `unknown patch type: ${printed} in map: ${printGo(patch)}`);
}

/** Returns a value without objects that have a directive; undefined if the value is such an object itself. */
export function withoutDirectives(value: unknown): unknown {
  if (isList(value)) return value.map(withoutDirectives).filter((each) => each !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  const record: JsonRecord = {};
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(value[key]);
    if (kept !== undefined) safeSet(record, key, kept);
  }
  return record;
}
