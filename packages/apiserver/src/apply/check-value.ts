import { isList, isRecord } from "@homeostat/core";
import { formOf, isScalar, namesOf } from "./form.ts";
import { itemElement } from "./list-item.ts";
import { elementText, fieldElement, indexElement } from "./path-element.ts";
import type { MergeList, MergeMap, Scalar, MergeType } from "./merge-type.ts";
import { compareBytes } from "../codec/go-text.ts";
import { isNumber } from "./value-order.ts";
import { detailedValue, shownValue, typeName } from "./value-text.ts";

/** One way in which a value does not fit its type. */
export interface TypeProblem {
  /** Where, such as `.spec.ports`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** How a value is checked. */
export interface CheckValueOptions {
  /** Whether items of an associative list may repeat, as in objects that were stored so. */
  readonly allowDuplicates?: boolean;
}

/** Deeper values are refused: every walk over them would need as much stack. */
export const valueDepthMax = 1_000;

/** All ways in which a value does not fit its type. An unknown field ends the look at the map it is in. */
export function checkValue(type: MergeType, value: unknown, options: CheckValueOptions = {}): TypeProblem[] {
  // First of all: whatever else looks at a value, to compare or to print it, does so by recursion.
  if (isDeeper(value, valueDepthMax)) return [{ path: "", message: `nested more than ${valueDepthMax} deep` }];
  const problems: TypeProblem[] = [];
  const check = new Check(problems, options.allowDuplicates === true);
  check.value(type, value, "");
  return problems;
}

/** Whether a value is nested deeper than a limit. Goes level by level, so that no depth is too much for it. */
function isDeeper(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (isList(each) || isRecord(each)) {
        for (const part of Object.values(each)) if (typeof part === "object" && part !== null) next.push(part);
      }
    }
    level = next;
  }
  return false;
}

/** Several problems in one text, as the API server puts them. */
export function problemsText(problems: readonly TypeProblem[]): string {
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? "") : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}

class Check {
  readonly #problems: TypeProblem[];
  readonly #allowDuplicates: boolean;

  constructor(problems: TypeProblem[], allowDuplicates: boolean) {
    this.#problems = problems;
    this.#allowDuplicates = allowDuplicates;
  }

  value(type: MergeType, value: unknown, path: string): void {
    const form = formOf(type, value);
    switch (form.as) {
      case "scalar":
        this.#scalar(form.scalar, value, path);
        return;
      case "list":
        this.#list(form.list, value, path);
        return;
      case "map":
        this.#map(form.map, value, path);
    }
  }

  #add(path: string, message: string): void {
    this.#problems.push({ path, message });
  }

  #scalar(scalar: Scalar, value: unknown, path: string): void {
    const problem = scalarProblem(scalar, value);
    if (problem !== undefined) this.#add(path, problem);
  }

  #list(type: MergeList, value: unknown, path: string): void {
    if (value === null) return;
    if (!isList(value)) {
      this.#add(path, `expected list, got ${shownValue(value)}`);
      return;
    }
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      let element = indexElement(index);
      if (type.isAssociative) {
        const found = itemElement(type, item);
        if (found.element === undefined) {
          this.#add(path, `element ${index}: ${found.problem}`);
          return;
        }
        ({ element } = found);
        if (seen.has(element.text) && !this.#allowDuplicates) {
          this.#add(path, `duplicate entries for key ${elementText(element)}`);
        }
        seen.add(element.text);
      }
      this.value(type.element(), item, path + elementText(element));
    }
  }

  #map(type: MergeMap, value: unknown, path: string): void {
    if (value === null) return;
    if (!isRecord(value)) {
      this.#add(path, `expected map, got ${shownValue(value)}`);
      return;
    }
    for (const name of namesOf(value).sort(compareBytes)) {
      const field = type.field(name);
      const inner = path + elementText(fieldElement(name));
      if (field === undefined) {
        this.#add(inner, "field not declared in schema");
        return;
      }
      this.value(field, value[name], inner);
    }
  }
}

/** What is wrong with a value as a scalar, or `undefined`. Null is always right. */
function scalarProblem(scalar: Scalar, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (scalar) {
    case "numeric":
      return isNumber(value) ? undefined : `expected numeric (int or float), got ${typeName(value)}`;
    case "string":
      return typeof value === "string" ? undefined : `expected string, got ${detailedValue(value)}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got ${shownValue(value)}`;
    case "untyped":
      return isScalar(value) ? undefined : `expected any scalar, got ${shownValue(value)}`;
  }
}
