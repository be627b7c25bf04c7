import { once } from "@homeostat/core";
import { scale } from "../cost/ranges.ts";
import { patternFactor, textFactor } from "../cost/rules.ts";
import { noSuchOverload, type CelFailure } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import { listType, opaqueType, optionalType, stringType, type OpaqueType } from "../types/type.ts";
import { listOf } from "../values/collections.ts";
import { sizeOf } from "../values/size-of.ts";
import { CelOpaque, CelOptional, type CelValue } from "../values/value.ts";
import { flatCost, searchCost } from "./call-costs.ts";
import { formatNameMax, namedFormats, namePatternMax, type NamedFormat } from "./named-formats.ts";

/** A named string format as a CEL value. */
export class FormatValue extends CelOpaque {
  readonly format: NamedFormat;

  constructor(format: NamedFormat) {
    super();
    this.format = format;
  }

  override get type(): OpaqueType<FormatValue> {
    return formatType;
  }

  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof FormatValue ? this.format.name === other.format.name : noSuchOverload();
  }
}

/** The CEL type `kubernetes.NamedFormat`. */
export const formatType: OpaqueType<FormatValue> = opaqueType("kubernetes.NamedFormat", FormatValue, {
  estimateEquality: () => scale({ min: 1, max: formatNameMax }, textFactor),
});

const values = once(() => new Map([...namedFormats].map(([name, format]) => [name, new FormatValue(format)])));

/** The library of named string formats: `format.dns1123Label().validate(text)`, `format.named("uri")`. */
export const formatLibrary: Library = defineLibrary({
  name: "kubernetes.format",
  functions: () => [
    {
      name: "format.named",
      overloads: [
        defineOverload({
          id: "format-named",
          params: [stringType],
          result: optionalType(formatType),
          implement: (name) => {
            const value = values().get(name);
            return value === undefined ? CelOptional.none : CelOptional.of(value);
          },
        }),
      ],
      cost: flatCost,
    },
    ...[...values()].map(([name, value]): FunctionDeclaration => ({
      name: `format.${name}`,
      overloads: [defineOverload({ id: `format.${name}`, params: [], result: formatType, implement: () => value })],
    })),
    {
      name: "validate",
      overloads: [
        defineOverload({
          id: "format-validate",
          member: true,
          params: [formatType, stringType],
          result: optionalType(listType(stringType)),
          implement: ({ format }, text) => {
            const problems = format.problemsOf(text);
            return problems.length === 0 ? CelOptional.none : CelOptional.of(listOf(problems));
          },
        }),
      ],
      cost: {
        estimate: ({ args: [text] }, context) =>
          text === undefined
            ? undefined
            : { cost: scale(scale(context.size(text), textFactor), namePatternMax * patternFactor) },
        track: ([format, text]) =>
          format instanceof FormatValue && text !== undefined
            ? searchCost(sizeOf(text), format.format.chargedPatternLength)
            : undefined,
      },
    },
  ],
});
