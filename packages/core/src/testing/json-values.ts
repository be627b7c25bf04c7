import * as fc from "fast-check";

/** Ordinary keys, and keys with a special meaning in JavaScript. */
export const hostileKeys: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "length",
  "0",
  "-1",
  "-",
  "",
  "~",
  "/",
  "a/b",
  "m~n",
];

/** Generates keys: few and short, so that two values often share some, and often special ones. */
export function anyKey(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "spec", "name") },
    { weight: 2, arbitrary: fc.constantFrom(...hostileKeys) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
  );
}

/** Generates JSON values with shared and special keys. With `nulls: false` no property is `null`, but elements may be. */
export function anyJson({ nulls = true }: { nulls?: boolean } = {}): fc.Arbitrary<unknown> {
  const scalar = fc.oneof(
    fc.boolean(),
    fc.integer({ min: -2, max: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
  );
  return fc.letrec<{ value: unknown; property: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: "json" },
      scalar,
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4, depthIdentifier: "json" }),
      fc
        .uniqueArray(fc.tuple(anyKey(), nulls ? tie("value") : tie("property")), {
          maxLength: 4,
          selector: ([key]) => key,
          depthIdentifier: "json",
        })
        .map(fromEntries),
    ),
    property: tie("value").map((value) => value ?? 0),
  })).value;
}

/** Creates an object of own properties with any keys. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries);
}

/** Returns a value that is nested `depth` levels deep, alternately in arrays and objects. */
export function nest(depth: number, core: unknown): unknown {
  let value = core;
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? { child: value } : [value];
  return value;
}
