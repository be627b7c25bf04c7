import { CelFailure } from "../failure.ts";
import type { Overload } from "../library.ts";
import type { CelType } from "../types/type.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import { CelList, CelMap, CelOptional, CelTypeValue, CelUint, type CelResult, type CelValue } from "../values/value.ts";

/** Reports whether a value has a type. Of a list or map only the first element or entry is checked. */
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

/** Returns the guard of a type. */
export function guardOf(type: CelType): Guard {
  switch (type.kind) {
    case "opaque": {
      const { valueClass } = type;
      return (value) => value instanceof valueClass;
    }
    case "list":
      return guardOfList(guardOf(type.element));
    case "map":
      return guardOfMap(guardOf(type.key), guardOf(type.value));
    default:
      return guards[type.kind];
  }
}

function guardOfList(element: Guard): Guard {
  if (element === anything) return guards.list;
  return (value) => value instanceof CelList && (value.size === 0 || fits(element, value.at(0)));
}

function guardOfMap(key: Guard, value: Guard): Guard {
  if (key === anything && value === anything) return guards.map;
  return (map) => {
    if (!(map instanceof CelMap)) return false;
    const [first] = map.keys();
    return first === undefined || (key(first) && fits(value, map.find(first) ?? null));
  };
}

function fits(guard: Guard, value: CelResult): boolean {
  return value instanceof CelFailure ? guard === anything : guard(value);
}

/** Returns a function that reports whether arguments have the types of the parameters of an overload. Cached per overload. */
export function guardOverload(overload: Overload): (args: readonly CelValue[]) => boolean {
  const known = overloadGuards.get(overload);
  if (known !== undefined) return known;
  const guard = makeGuard(overload);
  overloadGuards.set(overload, guard);
  return guard;
}

const overloadGuards = new WeakMap<Overload, (args: readonly CelValue[]) => boolean>();

function makeGuard(overload: Overload): (args: readonly CelValue[]) => boolean {
  const [first = anything, second = anything, ...rest] = overload.params.map(guardOf);
  return (args) => {
    const [one = null, two = null] = args;
    return first(one) && second(two) && rest.every((guard, index) => guard(args[index + 2] ?? null));
  };
}
