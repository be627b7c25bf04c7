import { utf8Length } from "@homeostat/core";
import { quote } from "./go-quote.ts";
import { Malformed } from "./malformed.ts";

/** A semantic version (semver.org, version 2). */
export interface SemanticVersion {
  /** Unsigned 64-bit integer, as in Kubernetes. */
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Pre-release identifiers; numeric ones as numbers. */
  readonly prerelease: readonly (string | bigint)[];
  /** Build metadata, which comparisons ignore. */
  readonly build: readonly string[];
}

const uint64Max = (1n << 64n) - 1n;

/** Parses a version in strict form, `1.2.3-rc.1+build.5`, or returns the problem. */
export function parseSemanticVersion(text: string): SemanticVersion | Malformed {
  if (text === "") return new Malformed("Version string empty");
  const [majorText, minorText, rest] = splitInThree(text);
  if (minorText === undefined || rest === undefined) return new Malformed("No Major.Minor.Patch elements found");
  const major = parseNumber(majorText, "Major");
  if (major instanceof Malformed) return major;
  const minor = parseNumber(minorText, "Minor");
  if (minor instanceof Malformed) return minor;

  const plus = rest.indexOf("+");
  const beforeBuild = plus < 0 ? rest : rest.slice(0, plus);
  const dash = beforeBuild.indexOf("-");
  const patch = parseNumber(dash < 0 ? beforeBuild : beforeBuild.slice(0, dash), "Patch");
  if (patch instanceof Malformed) return patch;
  const prerelease: (string | bigint)[] = [];
  for (const part of dash < 0 ? [] : beforeBuild.slice(dash + 1).split(".")) {
    const identifier = parseIdentifier(part);
    if (identifier instanceof Malformed) return identifier;
    prerelease.push(identifier);
  }
  const build = plus < 0 ? [] : rest.slice(plus + 1).split(".");
  for (const part of build) {
    if (part === "") return new Malformed("Build meta data is empty");
    if (!/^[0-9A-Za-z-]*$/.test(part)) {
      return new Malformed(`Invalid character(s) found in build meta data ${quote(part)}`);
    }
  }
  return { major, minor, patch, prerelease, build };
}

/** Parses a version in lenient form: allows a leading `v`, a missing minor or patch version, and leading zeros. */
export function parseLooseVersion(text: string): SemanticVersion | Malformed {
  const parts = splitInThree(text.startsWith("v") ? text.slice(1) : text).map(withoutLeadingZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) {
    return new Malformed("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.length < 3) parts.push("0");
  return parseSemanticVersion(parts.join("."));
}

/** Formats a version in strict form. */
export function formatSemanticVersion({ major, minor, patch, prerelease, build }: SemanticVersion): string {
  const suffix = prerelease.length > 0 ? `-${prerelease.join(".")}` : "";
  return `${major}.${minor}.${patch}${suffix}${build.length > 0 ? `+${build.join(".")}` : ""}`;
}

/** Compares two versions: -1, 0 or 1. Ignores build metadata. */
export function compareSemanticVersions(left: SemanticVersion, right: SemanticVersion): -1 | 0 | 1 {
  const numbers = order(left.major, right.major) || order(left.minor, right.minor) || order(left.patch, right.patch);
  if (numbers !== 0) return numbers;
  // A release is greater than all of its pre-releases.
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return order(right.prerelease.length, left.prerelease.length);
  }
  for (const [index, identifier] of left.prerelease.entries()) {
    const other = right.prerelease[index];
    if (other === undefined) return 1;
    const compared = compareIdentifiers(identifier, other);
    if (compared !== 0) return compared;
  }
  return order(left.prerelease.length, right.prerelease.length);
}

/** Compares pre-release identifiers: numbers are less than strings, strings are compared by ASCII code. */
function compareIdentifiers(left: string | bigint, right: string | bigint): -1 | 0 | 1 {
  if (typeof left === "bigint") return typeof right === "bigint" ? order(left, right) : -1;
  return typeof right === "bigint" ? 1 : order(left, right);
}

function order<T extends string | bigint | number>(left: T, right: T): -1 | 0 | 1 {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Splits a string at its first two dots. */
function splitInThree(text: string): [string, ...string[]] {
  const [first = "", ...rest] = text.split(".");
  return rest.length < 2 ? [first, ...rest] : [first, rest[0] ?? "", rest.slice(1).join(".")];
}

function withoutLeadingZeros(text: string): string {
  if (utf8Length(text) < 2) return text;
  const trimmed = text.replace(/^0+/, "");
  return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
}

function parseNumber(text: string, name: "Major" | "Minor" | "Patch"): bigint | Malformed {
  if (!/^[0-9]*$/.test(text)) {
    return new Malformed(`Invalid character(s) found in ${name.toLowerCase()} number ${quote(text)}`);
  }
  if (text.length > 1 && text.startsWith("0")) {
    return new Malformed(`${name} number must not contain leading zeroes ${quote(text)}`);
  }
  return parseUint64(text);
}

function parseIdentifier(text: string): string | bigint | Malformed {
  if (text === "") return new Malformed("Prerelease is empty");
  if (!/^[0-9]+$/.test(text)) {
    return /^[0-9A-Za-z-]+$/.test(text)
      ? text
      : new Malformed(`Invalid character(s) found in prerelease ${quote(text)}`);
  }
  if (text.length > 1 && text.startsWith("0")) {
    return new Malformed(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
  }
  return parseUint64(text);
}

/** Parses digits without a leading zero into a uint64. More than 20 digits are rejected without parsing. */
function parseUint64(digits: string): bigint | Malformed {
  if (digits === "") return new Malformed(`strconv.ParseUint: parsing "": invalid syntax`);
  const value = digits.length > 20 ? undefined : BigInt(digits);
  if (value === undefined || value > uint64Max) {
    return new Malformed(`strconv.ParseUint: parsing ${quote(digits)}: value out of range`);
  }
  return value;
}
