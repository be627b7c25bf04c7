import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tests as suite } from "@bufbuild/cel-spec/testdata/conformance.js";
import { createEnvironment } from "./environment.ts";
import { CelCompileError, CelEvaluationError } from "./errors.ts";
import type { Library } from "./library.ts";
import { stringLibrary } from "./libraries/strings.ts";
import { optionalLibrary } from "./standard/optionals.ts";
import { twoVariableLibrary } from "./standard/two-variable.ts";
import { parseDuration } from "./values/duration-text.ts";
import { parseTimestamp } from "./values/timestamp-text.ts";
import { formatType } from "./types/format.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeOfType,
  typeType,
  uintType,
  type CelType,
} from "./types/type.ts";
import { listOf, mapOf } from "./values/collections.ts";
import { equals } from "./values/equality.ts";
import { formatValue } from "./values/format.ts";
import { typeNameOf } from "./values/type-of.ts";
import { CelTypeValue, CelUint, type CelValue } from "./values/value.ts";

// The conformance suite of CEL, file by file. Skipped files and cases are listed here with a reason; a reason that no longer holds
// fails the test.

/** The files that are run, with the libraries that their expressions use. */
const files: Readonly<Record<string, readonly Library[]>> = {
  basic: [],
  comparisons: [],
  conversions: [],
  fields: [],
  fp_math: [],
  integer_math: [],
  lists: [],
  logic: [],
  macros: [],
  macros2: [twoVariableLibrary],
  namespace: [],
  optionals: [optionalLibrary],
  parse: [],
  plumbing: [],
  string: [],
  string_ext: [stringLibrary],
  timestamps: [],
  type_deductions: [optionalLibrary],
};

/** The files that are skipped. */
const leftOut: Readonly<Record<string, string>> = {
  bindings_ext: "Kubernetes does not enable cel.bind",
  block_ext: "Kubernetes does not enable cel.block",
  dynamic: "needs protocol buffers",
  encoders_ext: "Kubernetes does not enable the encoders",
  enums: "needs protocol buffers",
  math_ext: "Kubernetes does not enable the math extension",
  proto2: "needs protocol buffers",
  proto2_ext: "needs protocol buffers",
  proto3: "needs protocol buffers",
  unknowns: "holds no case",
  wrappers: "needs protocol buffers",
};

/** Cases with a different result, by the prefix of their name. */
const differences: readonly { readonly reason: string; readonly cases: readonly string[] }[] = [
  {
    reason: "the case turns type checking off, and Kubernetes never does",
    cases: [
      "basic/variables/unbound_is_runtime_error",
      "basic/functions/unbound_is_runtime_error",
      "comparisons/eq_literal/not_eq_list_length",
      "comparisons/eq_literal/eq_mixed_types",
      "comparisons/eq_literal/eq_list_elem_mixed_types",
      "comparisons/ne_literal/ne_mixed_types",
      "logic/conditional/mixed_type",
      "logic/AND/short_circuit_type_left",
      "logic/AND/short_circuit_type_right",
      "logic/OR/short_circuit_type_left",
      "logic/OR/short_circuit_type_right",
      "parse/receiver_function_names/",
    ],
  },
  {
    reason: "Kubernetes does not enable names in backticks",
    cases: ["fields/quoted_map_fields/"],
  },
  {
    reason: "cel-go takes repeated keys and keys of type double",
    cases: [
      "fields/qualified_identifier_resolution/map_key_float",
      "fields/qualified_identifier_resolution/map_value_repeat_key",
    ],
  },
  {
    reason: "Kubernetes evaluates constants when compiling, and refuses bytes as a key there",
    cases: ["fields/map_fields/map_bad_key_type_or_true", "fields/map_fields/map_bad_key_type_and_false"],
  },
  {
    reason: "in Kubernetes an optional step into a value that has no fields finds nothing, without an error",
    cases: ["optionals/optionals/map_null_entry_no_such_key", "optionals/optionals/map_present_key_invalid_field"],
  },
  {
    reason: "Kubernetes enables version 2 of the extension, which prints such values in another way",
    cases: [
      "string_ext/format/NaN support for decimal",
      "string_ext/format/NaN support for scientific notation",
      "string_ext/format/default precision for scientific notation",
      "string_ext/format/dyntype NaN/infinity support",
      "string_ext/format/dyntype support for lists",
      "string_ext/format/dyntype support for maps",
      "string_ext/format/dyntype support for scientific notation",
      "string_ext/format/list support for string",
      "string_ext/format/map support (all key types)",
      "string_ext/format/map support for string",
      "string_ext/format/negative infinity support for decimal",
      "string_ext/format/negative infinity support for fixed-point",
      "string_ext/format/negative infinity support for scientific notation",
      "string_ext/format/positive infinity support for decimal",
      "string_ext/format/positive infinity support for fixed-point",
      "string_ext/format/positive infinity support for scientific notation",
      "string_ext/format/scientific notation formatting clause",
      "string_ext/format/scientific notation formatting clause in a string variable",
    ],
  },
  {
    reason: "in version 2 of the extension a search that begins after the end finds nothing, without an error",
    cases: ["string_ext/value_errors/indexof_out_of_range", "string_ext/value_errors/lastindexof_out_of_range"],
  },
  {
    reason: "cel-go infers null here as well",
    cases: ["type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate"],
  },
];

/** A case of the suite: a protocol buffer in JSON form. */
interface Case {
  readonly name: string;
  readonly expr: string;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: Json } }[];
  readonly bindings?: Readonly<Record<string, { readonly value: Json }>>;
  readonly value?: Json;
  readonly evalError?: Json;
  readonly typedResult?: { readonly result?: Json; readonly deducedType?: Json };
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: unknown }[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- the JSON form of protocol buffers, read field by field below
type Json = any;

/** Thrown for values that need protocol buffers. */
class NeedsProtobuf extends Error {}

describe("the conformance suite", () => {
  const known = (suite as Suite).suites ?? [];

  it("has no file that is neither run nor skipped with a reason", () => {
    const names = known.map(({ name }) => name).sort();

    assert.deepEqual(names, [...Object.keys(files), ...Object.keys(leftOut)].sort());
  });

  for (const [file, libraries] of Object.entries(files)) {
    it(`passes in ${file}, except for the listed differences`, () => {
      const cases = casesOf(known.find(({ name }) => name === file)).filter(({ test }) => !needsProtobuf(test));

      const problems = cases.flatMap(({ path, test }) => {
        const expected = differences.find((difference) => difference.cases.some((name) => path.startsWith(name)));
        const problem = problemOf(test, libraries);
        if (expected !== undefined) return problem === undefined ? [`${path} passes, though ${expected.reason}`] : [];
        return problem === undefined ? [] : [`${path}: ${test.expr}\n  ${problem}`];
      });

      assert.deepEqual(problems, []);
      assert.ok(cases.length > 0);
    });
  }

  it("still has every case that is listed as a difference", () => {
    const paths = Object.keys(files).flatMap((file) => casesOf(known.find(({ name }) => name === file)));

    for (const name of differences.flatMap(({ cases }) => cases)) {
      assert.ok(
        paths.some(({ path }) => path.startsWith(name)),
        name,
      );
    }
  });
});

function casesOf(part: Suite | undefined, prefix = ""): { readonly path: string; readonly test: Case }[] {
  if (part === undefined) return [];
  const path = `${prefix}${part.name}/`;
  const own = (part.tests ?? []).map(({ original }) => {
    const test = original as Case;
    return { path: `${path}${test.name}`, test };
  });
  return [...own, ...(part.suites ?? []).flatMap((inner) => casesOf(inner, path))];
}

function needsProtobuf(test: Case): boolean {
  if (/TestAllTypes|cel\.expr|google\.protobuf\.(?!Timestamp|Duration)|NullValue/.test(test.expr)) return true;
  try {
    for (const { ident } of test.typeEnv ?? []) if (ident !== undefined) readType(ident.type);
    for (const { value } of Object.values(test.bindings ?? {})) readValue(value);
    for (const value of [test.value, test.typedResult?.result]) if (value !== undefined) readValue(value);
    if (test.typedResult?.deducedType !== undefined) readType(test.typedResult.deducedType);
    return (test.typeEnv ?? []).some(({ ident }) => ident === undefined);
  } catch (error) {
    if (error instanceof NeedsProtobuf) return true;
    throw error;
  }
}

/** Returns the reason why a case fails; undefined if it passes. */
function problemOf(test: Case, libraries: readonly Library[]): string | undefined {
  const bindings = Object.fromEntries(
    Object.entries(test.bindings ?? {}).map(([name, { value }]) => [name, readValue(value)]),
  );
  const declared = (test.typeEnv ?? []).map(({ name, ident }) => [name, readType(ident?.type)] as const);
  const variables = {
    ...Object.fromEntries(Object.keys(bindings).map((name) => [name, dynType])),
    ...Object.fromEntries(declared),
  };
  try {
    const environment = createEnvironment({
      libraries,
      variables,
      container: test.container ?? "",
      mixedLiterals: true,
    });
    const program = environment.compile(test.expr);
    const wantedType = test.typedResult?.deducedType;
    if (wantedType !== undefined && formatType(readType(wantedType)) !== formatType(program.resultType)) {
      return `type ${formatType(program.resultType)}, wanted ${formatType(readType(wantedType))}`;
    }
    if (test.checkOnly === true) return undefined;
    const value = program.evaluate(bindings);
    if (test.evalError !== undefined) return `${formatValue(value)}, wanted an error`;
    const wanted = readValue(test.value ?? test.typedResult?.result ?? { boolValue: true });
    return same(value, wanted) ? undefined : `${formatValue(value)}, wanted ${formatValue(wanted)}`;
  } catch (error) {
    assert.ok(error instanceof CelCompileError || error instanceof CelEvaluationError, String(error));
    return test.evalError === undefined ? error.message : undefined;
  }
}

function same(left: CelValue, right: CelValue): boolean {
  if (Number.isNaN(left) && Number.isNaN(right)) return true;
  return typeNameOf(left) === typeNameOf(right) && equals(left, right) === true;
}

function readValue(json: Json): CelValue {
  if ("int64Value" in json) return BigInt(json.int64Value);
  if ("uint64Value" in json) return new CelUint(BigInt(json.uint64Value));
  if ("doubleValue" in json) return Number(json.doubleValue);
  if ("stringValue" in json) return json.stringValue as string;
  if ("boolValue" in json) return json.boolValue as boolean;
  if ("nullValue" in json) return null;
  if ("bytesValue" in json) return Uint8Array.from(Buffer.from(json.bytesValue as string, "base64"));
  if ("typeValue" in json) return new CelTypeValue(json.typeValue as string);
  if ("listValue" in json) return listOf((json.listValue.values ?? []).map(readValue));
  if ("mapValue" in json) {
    return mapOf((json.mapValue.entries ?? []).map((entry: Json) => [readValue(entry.key), readValue(entry.value)]));
  }
  return readTime(json.objectValue);
}

function readTime(json: Json): CelValue {
  const name = String(json?.["@type"]);
  const time = name.endsWith("google.protobuf.Timestamp")
    ? parseTimestamp(json.value as string)
    : name.endsWith("google.protobuf.Duration")
      ? parseDuration(json.value as string)
      : undefined;
  if (time === undefined) throw new NeedsProtobuf();
  return time;
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  BYTES: bytesType,
  DOUBLE: doubleType,
  INT64: intType,
  STRING: stringType,
  UINT64: uintType,
  TIMESTAMP: timestampType,
  DURATION: durationType,
};

function readType(json: Json): CelType {
  const primitive = primitives[json.primitive ?? json.wellKnown ?? ""];
  if (primitive !== undefined) return primitive;
  if ("dyn" in json) return dynType;
  if ("null" in json) return nullType;
  if ("listType" in json)
    return listType(json.listType.elemType === undefined ? dynType : readType(json.listType.elemType));
  if ("mapType" in json) return mapType(readType(json.mapType.keyType), readType(json.mapType.valueType));
  if ("type" in json) return Object.keys(json.type).length === 0 ? typeType : typeOfType(readType(json.type));
  if (json.abstractType?.name === "optional_type") return optionalType(readType(json.abstractType.parameterTypes[0]));
  throw new NeedsProtobuf();
}
