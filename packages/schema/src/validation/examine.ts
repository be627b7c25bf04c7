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
import { indexOf, keyOf, pathOf, propertyOf, type Place } from "./place.ts";

/** How a value is examined. */
export interface Examination {
  /**
   * What the value is. A default is looked at before a schema is prepared for use: an int-or-string without a type
   * takes anything, and formats count for every type.
   */
  readonly as: "value" | "default";
}

/**
 * Examines a value against a schema node and says everything that is wrong, in the words of the API server.
 *
 * This is the slow and complete way, taken when the quick check failed. With a correlation, complaints about parts that
 * did not change are dropped.
 */
export function examine(
  node: SchemaNode,
  value: unknown,
  place: Place,
  how: Examination,
  correlation?: Correlation,
): Findings {
  const findings = new Examiner(node, place, how, correlation).examine(value);
  return !findings.isEmpty && correlation?.isUnchanged() === true ? findings.forgiven() : findings;
}

/** The types a node takes, as messages list them. */
export function typesOf(node: SchemaNode, { as }: Examination): readonly string[] {
  if (node.intOrString && as === "value") return ["integer", "string"];
  return node.type === "" ? [] : [node.type];
}

class Examiner {
  private readonly node: SchemaNode;
  private readonly place: Place;
  private readonly how: Examination;
  private readonly correlation: Correlation | undefined;
  private readonly types: readonly string[];
  private readonly format: string;

  constructor(node: SchemaNode, place: Place, how: Examination, correlation: Correlation | undefined) {
    this.node = node;
    this.place = place;
    this.how = how;
    this.correlation = correlation;
    this.types = typesOf(node, how);
    this.format = how.as === "default" ? node.format : effectiveFormat(node.format, this.types);
  }

  /** Every check that was made adds to the score, and so does the whole. */
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
      // A format stands in for the type, so that a list passes where a text of some format is due.
      const isNumeric = types.includes("number") || types.includes("integer");
      if ((isNumeric || format === "") && !fits) return this.wrongType(types.join(","), actual);
    } else if (!fits) {
      if (format === "") return this.wrongType(types.join(","), actual);
      const actualFormat = actual === "integer" ? "int64" : actual === "number" ? "float64" : "";
      // An integer is of format int64 whatever the type; no other format can agree by chance.
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

  private wrongType(wanted: string, actual: string): Findings {
    const findings = new Findings();
    const text = `${this.place.name} in body must be of type ${wanted}: ${quote(actual)}`;
    findings.add(text, typeInvalid(pathOf(this.place), actual, text));
    return findings;
  }

  /** `anyOf`, `oneOf`, `allOf`, `not`. What did not change is not forgiven inside of them. */
  private branches(value: unknown): Findings {
    const findings = new Findings();
    const { anyOf, oneOf, allOf, not } = this.node;
    const look = (branch: SchemaNode): Findings => examine(branch, value, this.place, this.how);
    const subject = quote(this.place.name);

    if (anyOf.length > 0) {
      const results: Findings[] = [];
      for (const branch of anyOf) {
        const result = look(branch);
        results.push(result);
        // The first that fits ends the search.
        if (result.isEmpty) break;
      }
      const fitting = results.find((result) => result.isEmpty);
      if (fitting === undefined)
        findings.addGeneral(this.place, `${subject} must validate at least one schema (anyOf)`);
      findings.merge(fitting ?? best(results));
    }
    if (oneOf.length > 0) {
      const results = oneOf.map(look);
      const fitting = results.filter((result) => result.isEmpty);
      const [only] = fitting;
      if (only !== undefined && fitting.length === 1) findings.merge(only);
      else {
        const found = only === undefined ? "Found none valid" : `Found ${fitting.length} valid alternatives`;
        findings.addGeneral(this.place, `${subject} must validate one and only one schema (oneOf). ${found}`);
        // After a fit, the failures before it are forgotten and those after it not looked at.
        if (only === undefined) findings.merge(best(results));
      }
    }
    if (allOf.length > 0) {
      const results = allOf.map(look);
      for (const result of results) findings.merge(result);
      const fitting = results.filter((result) => result.isEmpty).length;
      if (fitting < allOf.length) {
        const none = fitting === 0 ? ". None validated" : "";
        findings.addGeneral(this.place, `${subject} must validate all the schemas (allOf)${none}`);
      }
    }
    if (not !== undefined && look(not).isEmpty) {
      findings.addGeneral(this.place, `${subject} must not validate the schema (not)`);
    }
    findings.score += 1;
    return findings;
  }

  /** Of several faults of a text only the first is reported. */
  private text(value: string): Findings {
    const findings = new Findings();
    const { maxLength, minLength, pattern } = this.node;
    const length = codePointLength(value);
    const path = pathOf(this.place);
    const about = `${this.place.name} in body`;
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
    const text = `${this.place.name} in body must be of type ${this.format}: ${quote(value)}`;
    findings.add(text, typeInvalid(pathOf(this.place), value, text));
    return findings;
  }

  private number(value: number | bigint): Findings {
    const [type = ""] = this.types.length === 1 ? this.types : [];
    const isNumeric = type === "integer" || type === "number";
    const format = isNumeric ? effectiveFormat(this.format, this.types) : "";
    return examineNumber(this.node, value, this.place, { type: isNumeric ? type : "", format });
  }

  private list(value: readonly unknown[]): Findings {
    const findings = new Findings();
    const { items, minItems, maxItems } = this.node;
    if (items !== undefined) {
      for (const [index, element] of value.entries()) {
        const correlation = this.correlation?.element(index);
        findings.merge(examine(items, element, indexOf(this.place, index), this.how, correlation));
      }
    }
    const path = pathOf(this.place);
    const about = `${this.place.name} in body`;
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
    const text = `${this.place.name} in body should be one of ${printJson(choices)}`;
    findings.add(text, notSupported(pathOf(this.place), value, choices.map(printEnum)));
    return findings;
  }

  private object(value: JsonRecord): Findings {
    const findings = new Findings();
    const { minProperties, maxProperties, properties, additionalProperties } = this.node;
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    const path = pathOf(this.place);
    const about = `${this.place.name} in body`;
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
    for (const key of keys) {
      if (properties.has(key)) continue;
      if (others !== undefined) findings.merge(this.property(others, value[key], key, keyOf(this.place, key)));
      else if (additionalProperties === false) {
        const text = `${this.place.name}.${key} in body is a forbidden property`;
        findings.add(text, invalid(path, { value: key }, text));
      }
    }
    for (const [name, node] of properties) {
      if (!hasKey(value, name)) continue;
      findings.merge(this.property(node, value[name], name, propertyOf(this.place, name)));
    }
    for (const name of this.node.required) {
      if (hasKey(value, name)) continue;
      const place = keyOf(this.place, name);
      findings.add(`${place.name} in body is required`, required(pathOf(place)));
    }
    return findings;
  }

  private property(node: SchemaNode, value: unknown, name: string, place: Place): Findings {
    // Both objects were converted to one version before they came here: whether these two changed cannot be told.
    const isTypeMeta = this.place.name === "" && (name === "apiVersion" || name === "kind");
    const correlation = isTypeMeta ? undefined : this.correlation?.key(name);
    return examine(node, value, place, this.how, correlation);
  }
}

/** The failure with the highest score, the first of equals. */
function best(results: readonly Findings[]): Findings {
  return results.reduce(
    (winner, result) => (result.score > winner.score ? result : winner),
    results[0] ?? new Findings(),
  );
}
