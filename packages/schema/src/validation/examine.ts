import { codePointLength, isRecord, type JsonRecord } from "@homeostat/core";
import { effectiveFormat, findTextFormat } from "../formats/registry.ts";
import { compilePattern, quote } from "@homeostat/cel";
import { printJson } from "../problem/print.ts";
import { invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "../problem/problem.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { jsonTypeOf } from "../value/json-type.ts";
import { hasKey } from "../value/record.ts";
import type { Correlation } from "./correlation.ts";
import { isInEnum, printEnum } from "./enum.ts";
import { Findings } from "./findings.ts";
import { examineNumber, isNearInteger } from "./numbers.ts";
import { indexOf, keyOf, pathOf, propertyOf, type Location } from "./location.ts";

/** Number of entries of an oversized list or map that are still examined with `skipsOversized`: they take a few milliseconds. */
export const examinedEntriesMax = 1_000;

/** Options of {@link examine}. */
export interface Examination {
  /**
   * `default` for the default of a schema. The API server validates defaults against the schema before preparing it for use: then
   * an int-or-string without a type accepts anything, and formats apply to every type.
   */
  readonly as: "value" | "default";
  /** True to skip the entries of a list or map that exceeds its limit and {@link examinedEntriesMax}. The API server validates them all. */
  readonly skipsOversized?: boolean | undefined;
}

/**
 * Validates a value against a schema node and returns all problems, with the messages of the API server.
 *
 * This is the slow path, used only if the quick check (`compileCheck`) failed. With a correlation, problems of unchanged parts are
 * dropped.
 */
export function examine(
  node: SchemaNode,
  value: unknown,
  location: Location,
  how: Examination,
  correlation?: Correlation,
): Findings {
  const findings = new Examiner(node, location, how, correlation).examine(value);
  return !findings.isEmpty && correlation?.isUnchanged() === true ? findings.withoutProblems() : findings;
}

/** Returns the types that a node accepts, as messages list them. */
export function typesOf(node: SchemaNode, { as }: Examination): readonly string[] {
  if (node.intOrString && as === "value") return ["integer", "string"];
  return node.type === "" ? [] : [node.type];
}

class Examiner {
  private readonly node: SchemaNode;
  private readonly location: Location;
  private readonly how: Examination;
  private readonly correlation: Correlation | undefined;
  private readonly types: readonly string[];
  private readonly format: string;

  constructor(node: SchemaNode, location: Location, how: Examination, correlation: Correlation | undefined) {
    this.node = node;
    this.location = location;
    this.how = how;
    this.correlation = correlation;
    this.types = typesOf(node, how);
    this.format = how.as === "default" ? node.format : effectiveFormat(node.format, this.types);
  }

  /** Runs all checks that apply to the value. Each check, and the validation as a whole, adds 1 to the score. */
  examine(value: unknown): Findings {
    const findings = new Findings();
    if (value === null || value === undefined) {
      findings.merge(this.type(null));
      findings.merge(this.enumeration(null));
      return findings;
    }
    const run = (check: Findings): void => {
      findings.merge(check);
      findings.score += 1;
    };
    if (this.types.length > 0 || this.format !== "") run(this.type(value));
    run(this.branches(value));
    if (typeof value === "string") {
      run(this.text(value));
      if (findTextFormat(this.format) !== undefined) run(this.textFormat(value));
    }
    if (typeof value === "number" || typeof value === "bigint") run(this.number(value));
    if (Array.isArray(value)) run(this.list(value));
    run(this.enumeration(value));
    if (isRecord(value)) run(this.object(value));
    findings.score += 1;
    return findings;
  }

  private type(value: unknown): Findings {
    const findings = new Findings();
    const actual = jsonTypeOf(value);
    const { types, format } = this;
    const fits = types.includes(actual) || this.fitsAsNumber(value);
    if (actual === "null") {
      if (types.length > 0 && !this.node.nullable) return this.wrongType(types.join(","), "null");
    } else if (actual === "string" || actual === "array") {
      // A format replaces the type in this check, so a list passes where a string with a format is expected.
      const isNumeric = types.includes("number") || types.includes("integer");
      if ((isNumeric || format === "") && !fits) return this.wrongType(types.join(","), actual);
    } else if (!fits) {
      if (format === "") return this.wrongType(types.join(","), actual);
      const actualFormat = actual === "integer" ? "int64" : actual === "number" ? "float64" : "";
      // An integer has the format int64 whatever the type of the node, so it can equal the format of the node by coincidence.
      return actualFormat === format ? this.wrongType(types.join(","), actual) : this.wrongType(format, actualFormat);
    }
    findings.score += 1;
    return findings;
  }

  private fitsAsNumber(value: unknown): boolean {
    if (typeof value !== "number" && typeof value !== "bigint") return false;
    if (jsonTypeOf(value) === "integer") return this.types.includes("number");
    return this.types.includes("integer") && isNearInteger(Number(value));
  }

  private wrongType(expected: string, actual: string): Findings {
    const findings = new Findings();
    const text = `${this.location.name} in body must be of type ${expected}: ${quote(actual)}`;
    findings.add(text, typeInvalid(pathOf(this.location), actual, text));
    return findings;
  }

  /** Checks `anyOf`, `oneOf`, `allOf` and `not`. There is no ratcheting inside of them. */
  private branches(value: unknown): Findings {
    const findings = new Findings();
    const { anyOf, oneOf, allOf, not } = this.node;
    const examineBranch = (branch: SchemaNode): Findings => examine(branch, value, this.location, this.how);
    const subject = (): string => quote(this.location.name);

    if (anyOf.length > 0) {
      const results: Findings[] = [];
      for (const branch of anyOf) {
        const result = examineBranch(branch);
        results.push(result);
        // The first valid branch ends the search.
        if (result.isEmpty) break;
      }
      const valid = results.find((result) => result.isEmpty);
      if (valid === undefined)
        findings.addGeneral(this.location, `${subject()} must validate at least one schema (anyOf)`);
      findings.merge(valid ?? best(results));
    }
    if (oneOf.length > 0) {
      const results = oneOf.map(examineBranch);
      const valid = results.filter((result) => result.isEmpty);
      const [only] = valid;
      if (only !== undefined && valid.length === 1) findings.merge(only);
      else {
        const found = only === undefined ? "Found none valid" : `Found ${valid.length} valid alternatives`;
        findings.addGeneral(this.location, `${subject()} must validate one and only one schema (oneOf). ${found}`);
        // If any branch is valid, the API server does not report the failures of the others.
        if (only === undefined) findings.merge(best(results));
      }
    }
    if (allOf.length > 0) {
      const results = allOf.map(examineBranch);
      for (const result of results) findings.merge(result);
      const valid = results.filter((result) => result.isEmpty).length;
      if (valid < allOf.length) {
        const none = valid === 0 ? ". None validated" : "";
        findings.addGeneral(this.location, `${subject()} must validate all the schemas (allOf)${none}`);
      }
    }
    if (not !== undefined && examineBranch(not).isEmpty) {
      findings.addGeneral(this.location, `${subject()} must not validate the schema (not)`);
    }
    findings.score += 1;
    return findings;
  }

  /** Checks length and pattern of a string. Reports only the first problem. */
  private text(value: string): Findings {
    const findings = new Findings();
    const { maxLength, minLength, pattern } = this.node;
    const length = codePointLength(value);
    const path = pathOf(this.location);
    const about = `${this.location.name} in body`;
    if (maxLength !== undefined && length > maxLength) {
      findings.add(`${about} should be at most ${maxLength} chars long`, tooLong(path, maxLength));
    } else if (minLength !== undefined && length < minLength) {
      const text = `${about} should be at least ${minLength} chars long`;
      findings.add(text, invalid(path, { value }, text));
    } else if (pattern !== "" && !compilePattern(pattern).test(value)) {
      const text = `${about} should match '${pattern}'`;
      findings.add(text, invalid(path, { value }, text));
    }
    return findings;
  }

  private textFormat(value: string): Findings {
    const findings = new Findings();
    if (findTextFormat(this.format)?.(value) === true) return findings;
    const about = `${this.location.name} in body must be of type ${this.format}: `;
    const text = (print: (shown: string) => string): string => about + print(value);
    findings.add(about + value, typeInvalid(pathOf(this.location), value, text));
    return findings;
  }

  private number(value: number | bigint): Findings {
    const [type = ""] = this.types.length === 1 ? this.types : [];
    const isNumeric = type === "integer" || type === "number";
    const format = isNumeric ? effectiveFormat(this.format, this.types) : "";
    return examineNumber(this.node, value, this.location, { type: isNumeric ? type : "", format });
  }

  private list(value: readonly unknown[]): Findings {
    const findings = new Findings();
    const { items, minItems, maxItems } = this.node;
    if (items !== undefined && !this.isSkipped(value.length, maxItems)) {
      for (const [index, element] of value.entries()) {
        const correlation = this.correlation?.element(index);
        findings.merge(examine(items, element, indexOf(this.location, index), this.how, correlation));
      }
    }
    const path = pathOf(this.location);
    const about = `${this.location.name} in body`;
    if (minItems !== undefined && value.length < minItems) {
      const text = `${about} should have at least ${minItems} items`;
      findings.add(text, invalid(path, { value: value.length }, text));
    }
    if (maxItems !== undefined && value.length > maxItems) {
      findings.add(`${about} should have at most ${maxItems} items`, tooMany(path, value.length, maxItems));
    }
    findings.score += 1;
    return findings;
  }

  private enumeration(value: unknown): Findings {
    const findings = new Findings();
    const { enum: choices } = this.node;
    if (choices.length === 0 || isInEnum(value, choices)) return findings;
    const text = `${this.location.name} in body should be one of ${printJson(choices)}`;
    findings.add(text, notSupported(pathOf(this.location), value, choices.map(printEnum)));
    return findings;
  }

  private object(value: JsonRecord): Findings {
    const findings = new Findings();
    const { minProperties, maxProperties, properties, additionalProperties } = this.node;
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    const path = pathOf(this.location);
    const about = `${this.location.name} in body`;
    if (minProperties !== undefined && keys.length < minProperties) {
      const text = `${about} should have at least ${minProperties} properties`;
      findings.add(text, invalid(path, { value: keys.length }, text));
    }
    if (maxProperties !== undefined && keys.length > maxProperties) {
      findings.add(
        `${about} should have at most ${maxProperties} properties`,
        tooMany(path, keys.length, maxProperties),
      );
    }
    const others = additionalSchema(this.node);
    for (const key of this.isSkipped(keys.length, maxProperties) ? [] : keys) {
      if (properties.has(key)) continue;
      if (others !== undefined) findings.merge(this.property(others, value[key], key, keyOf(this.location, key)));
      else if (additionalProperties === false) {
        const text = `${this.location.name}.${key} in body is a forbidden property`;
        findings.add(text, invalid(path, { value: key }, text));
      }
    }
    for (const [name, node] of properties) {
      if (!hasKey(value, name)) continue;
      findings.merge(this.property(node, value[name], name, propertyOf(this.location, name)));
    }
    for (const name of this.node.required) {
      if (hasKey(value, name)) continue;
      const location = keyOf(this.location, name);
      findings.add(`${location.name} in body is required`, required(pathOf(location)));
    }
    return findings;
  }

  private isSkipped(count: number, countMax: number | undefined): boolean {
    const isOversized = countMax !== undefined && count > countMax;
    return this.how.skipsOversized === true && isOversized && count > examinedEntriesMax;
  }

  private property(node: SchemaNode, value: unknown, name: string, location: Location): Findings {
    // Both objects were converted to the same version before validation, so their `apiVersion` and `kind` are always equal,
    // which does not prove that the client left them unchanged.
    const isTypeMeta = this.location.name === "" && (name === "apiVersion" || name === "kind");
    const correlation = isTypeMeta ? undefined : this.correlation?.key(name);
    return examine(node, value, location, this.how, correlation);
  }
}

/** Returns the result with the highest score, the first one of equals. */
function best(results: readonly Findings[]): Findings {
  return results.reduce(
    (winner, result) => (result.score > winner.score ? result : winner),
    results[0] ?? new Findings(),
  );
}
