import { failure, type CelFailure } from "../failure.ts";
import { formatValue } from "../values/format.ts";
import { isInt64 } from "../values/int64.ts";
import { goTypeName } from "../values/go-type-name.ts";
import { typeNameOf } from "../values/type-of.ts";
import { CelList, CelMap, CelUint, type CelResult, type CelValue } from "../values/value.ts";

/** Returns the value at a key or index; undefined if there is none or the value is not a list or map. */
export function access(value: CelValue, key: CelValue): CelResult | undefined {
  if (value instanceof CelMap) return value.find(key);
  if (!(value instanceof CelList)) return undefined;
  const index = listIndex(key);
  if (typeof index !== "number") return index;
  return index >= 0 && index < value.size ? value.at(index) : undefined;
}

/** Returns the failure for a missing key or index. */
export function missing(value: CelValue, key: CelValue): CelFailure {
  const problem = value instanceof CelList ? "index out of bounds" : "no such key";
  return failure(`${problem}: ${formatValue(key)}`);
}

/** Returns a failure if a value can be neither a key nor an index, otherwise undefined. */
export function invalidKey(key: CelValue): CelFailure | undefined {
  if ((typeof key === "object" && !(key instanceof CelUint)) || key === null) {
    return failure(`invalid qualifier type: ${goTypeName(key)}`);
  }
  return undefined;
}

function listIndex(key: CelValue): number | CelFailure {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof CelUint) {
    return isInt64(key.value) ? Number(key.value) : failure(`unsupported index value ${key.value} in list`);
  }
  if (typeof key === "number") {
    return Number.isInteger(key) ? key : failure(`unsupported index value ${formatValue(key)} in list`);
  }
  return failure(`unsupported index type '${typeNameOf(key)}' in list`);
}
