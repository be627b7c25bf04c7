import { isList, isRecord, ownValue } from "@homeostat/core";
import { formOf, isScalar, namesOf } from "./form.ts";
import { itemElement } from "./list-item.ts";
import { elementText, type PathElement } from "./path-element.ts";
import type { MergeList, MergeMap, Scalar, MergeType } from "./merge-type.ts";
import { compareBytes } from "../codec/go-text.ts";
import { isNumber } from "./value-order.ts";
import { detailedValue, shownValue, typeName } from "./value-text.ts";

/** A mismatch between a value and its type. */
export interface TypeProblem {
  /** Path of the value, such as `.spec.ports`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Options of {@link checkValue}. */
export interface CheckValueOptions {
  /**
   * True if an associative list may contain an item twice. Stored objects may, because only apply refuses duplicates.
   */
  readonly allowDuplicates?: boolean;
  /**
   * A value that was already checked against the same type. Parts that are identical (`===`) at the same position are
   * not checked again: the two objects of an update share most of their parts.
   */
  readonly checked?: unknown;
}

/** Deeper values are refused, because all later steps walk the value recursively and would exhaust the stack. */
export const valueDepthMax = 1_000;

/** Returns all mismatches between a value and its type. The check of a map ends at its first unknown field. */
export function checkValue(type: MergeType, value: unknown, options: CheckValueOptions = {}): TypeProblem[] {
  // This check comes first and does not recurse: everything that compares or prints the value later does.
  const { checked } = options;
  if (isDeeper(value, checked, valueDepthMax)) return [{ path: "", message: `nested more than ${valueDepthMax} deep` }];
  const allowDuplicates = options.allowDuplicates === true;
  const quick = new Check({ allowDuplicates, isInOrder: false });
  quick.value(type, value, checked);
  if (quick.problems.length === 0) return [];
  // Check again in the order of field names, so that the reported problems do not depend on the order in the request.
  const check = new Check({ allowDuplicates, isInOrder: true });
  check.value(type, value, checked);
  return check.problems;
}

/**
 * Reports whether a value is nested deeper than `depthMax`. Parts shared with `checked` are not counted, since
 * they were within the limit. The walk goes level by level instead of recursively, so any depth is safe.
 */
function isDeeper(value: unknown, checked: unknown, depthMax: number): boolean {
  let level: (readonly [unknown, unknown])[] = [[value, checked]];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    const next: (readonly [unknown, unknown])[] = [];
    for (const [each, other] of level) {
      if (!isList(each) && !isRecord(each)) continue;
      for (const [name, part] of Object.entries(each)) {
        if (typeof part !== "object" || part === null) continue;
        const counterpart = partOf(other, name);
        if (part !== counterpart) next.push([part, counterpart]);
      }
    }
    level = next;
  }
  return false;
}

/** Returns the part of `other` at the same position. */
function partOf(other: unknown, name: string): unknown {
  if (isList(other)) return other[Number(name)];
  return isRecord(other) ? ownValue(other, name) : undefined;
}

/** Joins problems into one message in the format of structured-merge-diff. */
export function problemsText(problems: readonly TypeProblem[]): string {
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? "") : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}

class Check {
  readonly problems: TypeProblem[] = [];
  readonly #allowDuplicates: boolean;
  readonly #isInOrder: boolean;
  /** Current position of the walk: field names, list indexes and elements of associative lists. */
  readonly #path: (string | number | PathElement)[] = [];

  constructor({ allowDuplicates, isInOrder }: { allowDuplicates: boolean; isInOrder: boolean }) {
    this.#allowDuplicates = allowDuplicates;
    this.#isInOrder = isInOrder;
  }

  /** Checks one value. `checked` is the value at the same position of the object that was checked before. */
  value(type: MergeType, value: unknown, checked: unknown): void {
    if (value === checked) return;
    const form = formOf(type, value);
    if (form.as === "list") this.#list(form.list, value, checked);
    else if (form.as === "map") this.#map(form.map, value, checked);
    else {
      const problem = scalarProblem(form.scalar, value);
      if (problem !== undefined) this.#add(problem);
    }
  }

  #add(message: string): void {
    this.problems.push({ path: this.#path.map(stepText).join(""), message });
  }

  #list(type: MergeList, value: unknown, checked: unknown): void {
    if (value === null) return;
    if (!isList(value)) {
      this.#add(`expected list, got ${shownValue(value)}`);
      return;
    }
    const seen = new Set<string>();
    const itemType = type.element();
    const others = isList(checked) ? checked : [];
    for (const [index, item] of value.entries()) {
      let step: number | PathElement = index;
      if (type.isAssociative) {
        const { element, problem } = itemElement(type, item);
        if (element === undefined) {
          this.#add(`element ${index}: ${problem}`);
          return;
        }
        if (seen.has(element.text) && !this.#allowDuplicates) {
          this.#add(`duplicate entries for key ${elementText(element)}`);
        }
        seen.add(element.text);
        step = element;
      }
      this.#path.push(step);
      this.value(itemType, item, others[index]);
      this.#path.pop();
    }
  }

  #map(type: MergeMap, value: unknown, checked: unknown): void {
    if (value === null) return;
    if (!isRecord(value)) {
      this.#add(`expected map, got ${shownValue(value)}`);
      return;
    }
    const names = namesOf(value);
    for (const name of this.#isInOrder ? names.sort(compareBytes) : names) {
      const field = type.field(name);
      this.#path.push(name);
      if (field === undefined) this.#add("field not declared in schema");
      else this.value(field, value[name], partOf(checked, name));
      this.#path.pop();
      if (field === undefined) return;
    }
  }
}

function stepText(step: string | number | PathElement): string {
  if (typeof step === "string") return `.${step}`;
  return typeof step === "number" ? `[${step}]` : elementText(step);
}

/** Returns the problem with a value as a scalar, or `undefined`. Null is always valid. */
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
