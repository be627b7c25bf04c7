import { isList, isRecord, type JsonRecord, safeSet } from "../value/record.ts";
import { type StrategicPatchError, unknownFailure } from "./strategic-error.ts";
import { goTypeName } from "./strategic-order.ts";

/** Returns the error for an unknown `$patch` directive. */
export function badDirective(directive: unknown, patch: JsonRecord): StrategicPatchError {
  if (typeof directive === "string") {
    return unknownFailure(`unknown patch type: ${directive} in map: `, { value: patch });
  }
  const type = `%!s(${goTypeName(directive)}=`;
  return unknownFailure("unknown patch type: ", type, { value: directive }, ") in map: ", { value: patch });
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
