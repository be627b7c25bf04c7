import {
  isQuantity,
  ParseError,
  parseQuantity,
  quantityFromInteger,
  QuantityRangeError,
  type Quantity,
} from "@homeostat/core";
import { exactly } from "../cost/ranges.ts";
import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import { boolType, doubleType, intType, opaqueType, stringType, type OpaqueType } from "../types/type.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { flatCost, readingCost } from "./call-costs.ts";

/** A resource quantity. */
export class QuantityValue extends CelOpaque {
  readonly quantity: Quantity;
  /** True for the result of `add` or `sub`. In Kubernetes, `x == computed` is always false. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, { isComputed = false }: { isComputed?: boolean } = {}) {
    super();
    this.quantity = quantity;
    this.isComputed = isComputed;
  }

  override get type(): OpaqueType<QuantityValue> {
    return quantityType;
  }

  override equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof QuantityValue) || other.isComputed) return noSuchOverload();
    return this.quantity.equals(other.quantity);
  }
}

/** The CEL type `kubernetes.Quantity`. */
export const quantityType: OpaqueType<QuantityValue> = opaqueType("kubernetes.Quantity", QuantityValue, {
  estimateEquality: () => exactly(1),
});

/** The library of quantities such as `500m` and `1.5Gi`: parsing, comparison and addition. */
export const quantityLibrary: Library = defineLibrary({
  name: "kubernetes.quantity",
  functions: () => [
    {
      name: "quantity",
      overloads: [
        defineOverload({ id: "string_to_quantity", params: [stringType], result: quantityType, implement: read }),
      ],
      cost: readingCost(),
    },
    {
      name: "isQuantity",
      overloads: [
        defineOverload({
          id: "is_quantity_string",
          params: [stringType],
          result: boolType,
          implement: (text) => !(read(text) instanceof CelFailure),
        }),
      ],
      cost: readingCost(),
    },
    {
      name: "sign",
      overloads: [
        defineOverload({
          id: "quantity_sign",
          params: [quantityType],
          result: intType,
          implement: ({ quantity }) => BigInt(quantity.sign()),
        }),
      ],
      cost: flatCost,
    },
    {
      name: "isInteger",
      overloads: [
        defineOverload({
          id: "quantity_is_integer",
          member: true,
          params: [quantityType],
          result: boolType,
          implement: ({ quantity }) => quantity.isInteger(),
        }),
      ],
      cost: flatCost,
    },
    {
      name: "asInteger",
      overloads: [
        defineOverload({
          id: "quantity_get_int",
          member: true,
          params: [quantityType],
          result: intType,
          implement: ({ quantity }) => quantity.asInt64() ?? failure("cannot convert value to integer"),
        }),
      ],
      cost: flatCost,
    },
    {
      name: "asApproximateFloat",
      overloads: [
        defineOverload({
          id: "quantity_get_float",
          member: true,
          params: [quantityType],
          result: doubleType,
          implement: ({ quantity }) => quantity.asApproximateNumber(),
        }),
      ],
      cost: flatCost,
    },
    comparison("isGreaterThan", "quantity_is_greater_than", (order) => order > 0),
    comparison("isLessThan", "quantity_is_less_than", (order) => order < 0),
    {
      name: "compareTo",
      overloads: [
        defineOverload({
          id: "quantity_compare_to",
          member: true,
          params: [quantityType, quantityType],
          result: intType,
          implement: (left, right) => BigInt(left.quantity.compareTo(right.quantity)),
        }),
      ],
      cost: flatCost,
    },
    arithmetic("add", (left, right) => left.add(right)),
    arithmetic("sub", (left, right) => left.sub(right)),
  ],
});

function read(text: string): QuantityValue | CelFailure {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof ParseError) return failure(problemOf(text));
    throw error;
  }
}

/** Returns the problem of a malformed quantity: one of the three messages of the API server. */
function problemOf(text: string): string {
  const number = /^[+-]?[0-9]*(?:\.[0-9]*)?/.exec(text)?.[0] ?? "";
  const suffix = text.slice(number.length);
  if (text === "" || !/^[eEinumkKMGTP]*[+-]?[0-9]*$/.test(suffix)) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  const hasDigits = /[0-9]/.test(number);
  return !hasDigits && isQuantity(`1${suffix}`)
    ? "unable to parse numeric part of quantity"
    : "unable to parse quantity's suffix";
}

function comparison(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id,
        member: true,
        params: [quantityType, quantityType],
        result: boolType,
        implement: (left, right) => holds(left.quantity.compareTo(right.quantity)),
      }),
    ],
    cost: flatCost,
  };
}

function arithmetic(name: "add" | "sub", operate: (left: Quantity, right: Quantity) => Quantity): FunctionDeclaration {
  const compute = (left: Quantity, right: Quantity): QuantityValue | CelFailure => {
    try {
      return new QuantityValue(operate(left, right), { isComputed: true });
    } catch (error) {
      // The exponent would make the sum too large for the memory. Kubernetes would try to compute it and not terminate.
      if (error instanceof QuantityRangeError) return failure(error.message);
      throw error;
    }
  };
  return {
    name,
    overloads: [
      defineOverload({
        id: `quantity_${name}`,
        member: true,
        params: [quantityType, quantityType],
        result: quantityType,
        implement: (left, right) => compute(left.quantity, right.quantity),
      }),
      defineOverload({
        id: `quantity_${name}_int`,
        member: true,
        params: [quantityType, intType],
        result: quantityType,
        implement: (left, right) => compute(left.quantity, quantityFromInteger(right, "DecimalExponent")),
      }),
    ],
    cost: flatCost,
  };
}
