import type { Overload } from "../library.ts";
import type { CelType } from "../types/type.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import { CelList, CelMap, CelOptional, CelTypeValue, CelUint, type CelValue } from "../values/value.ts";

/** Tells whether a value is of a type, as far as one can see without looking inside. */
export type Guard = (value: CelValue) => boolean;

const anything: Guard = () => true;

const guards: Readonly<Record<Exclude<CelType["kind"], "opaque">, Guard>> = {
  dyn: anything,
  parameter: anything,
  null: (value) => value === null,
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "bigint",
  uint: (value) => value instanceof CelUint,
  double: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  bytes: (value) => value instanceof Uint8Array,
  timestamp: (value) => value instanceof CelTimestamp,
  duration: (value) => value instanceof CelDuration,
  type: (value) => value instanceof CelTypeValue,
  list: (value) => value instanceof CelList,
  map: (value) => value instanceof CelMap,
  object: (value) => value instanceof CelMap,
  optional: (value) => value instanceof CelOptional,
};

/** The guard of a type. */
export function guardOf(type: CelType): Guard {
  if (type.kind !== "opaque") return guards[type.kind];
  const { valueClass } = type;
  return (value) => value instanceof valueClass;
}

/** Whether the arguments of a call are of the types of an overload's parameters. */
export function guardOverload(overload: Overload): (args: readonly CelValue[]) => boolean {
  const [first = anything, second = anything, ...rest] = overload.params.map(guardOf);
  return (args) => {
    const [one = null, two = null] = args;
    return first(one) && second(two) && rest.every((guard, index) => guard(args[index + 2] ?? null));
  };
}
