import { exactly } from "../cost/ranges.ts";
import { CelFailure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import { boolType, intType, opaqueType, stringType, type OpaqueType } from "../types/type.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { orFailure } from "./or-failure.ts";
import { flatCost, readingCost } from "./call-costs.ts";
import {
  compareSemanticVersions,
  formatSemanticVersion,
  parseLooseVersion,
  parseSemanticVersion,
  type SemanticVersion,
} from "./semantic-version.ts";

/** A semantic version. */
export class SemverValue extends CelOpaque {
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  override get type(): OpaqueType<SemverValue> {
    return semverType;
  }

  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof SemverValue ? compareSemanticVersions(this.version, other.version) === 0 : noSuchOverload();
  }

  /** The version in strict form. */
  override toString(): string {
    return formatSemanticVersion(this.version);
  }
}

/** The CEL type `kubernetes.Semver`. */
export const semverType: OpaqueType<SemverValue> = opaqueType("kubernetes.Semver", SemverValue, {
  estimateEquality: () => exactly(1),
});

/** The library of semantic versions: strict or lenient parsing, and comparison. */
export const semverLibrary: Library = defineLibrary({
  name: "kubernetes.Semver",
  functions: () => [
    {
      name: "semver",
      overloads: [
        defineOverload({
          id: "string_to_semver",
          params: [stringType],
          result: semverType,
          implement: (text) => read(text, false),
        }),
        defineOverload({
          id: "string_bool_to_semver",
          params: [stringType, boolType],
          result: semverType,
          implement: read,
        }),
      ],
      cost: readingCost(),
    },
    {
      name: "isSemver",
      overloads: [
        defineOverload({
          id: "is_semver_string",
          params: [stringType],
          result: boolType,
          implement: (text) => !(read(text, false) instanceof CelFailure),
        }),
        defineOverload({
          id: "is_semver_string_bool",
          params: [stringType, boolType],
          result: boolType,
          implement: (text, normalize) => !(read(text, normalize) instanceof CelFailure),
        }),
      ],
      cost: readingCost(),
    },
    component("major"),
    component("minor"),
    component("patch"),
    comparison("isGreaterThan", "semver_is_greater_than", (order) => order > 0),
    comparison("isLessThan", "semver_is_less_than", (order) => order < 0),
    {
      name: "compareTo",
      overloads: [
        defineOverload({
          id: "semver_compare_to",
          member: true,
          params: [semverType, semverType],
          result: intType,
          implement: (left, right) => BigInt(compareSemanticVersions(left.version, right.version)),
        }),
      ],
      cost: flatCost,
    },
  ],
});

function read(text: string, normalize: boolean): SemverValue | CelFailure {
  const version = orFailure(normalize ? parseLooseVersion(text) : parseSemanticVersion(text));
  return version instanceof CelFailure ? version : new SemverValue(version);
}

/** Returns the function that reads one of the three numbers. They are uint64; the largest ones are negative as int. */
function component(name: "major" | "minor" | "patch"): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id: `semver_${name}`,
        member: true,
        params: [semverType],
        result: intType,
        implement: ({ version }) => BigInt.asIntN(64, version[name]),
      }),
    ],
    cost: flatCost,
  };
}

function comparison(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id,
        member: true,
        params: [semverType, semverType],
        result: boolType,
        implement: (left, right) => holds(compareSemanticVersions(left.version, right.version)),
      }),
    ],
    cost: flatCost,
  };
}
