// Rules for patches of an entry that need no baseline.

import {
  type DeepReadonly,
  isList,
  isRecord,
  type JsonRecord,
  ownValue,
  ParseError,
  parsePointer,
  utf8Length,
} from "@homeostat/core";
import { invalidField, type Problem, requiredField } from "@homeostat/schema";
import type { EntryPatch } from "../api/sandbox.ts";
import { patchBytesMax } from "../api/spec-services.ts";

/** Operations of a JSON patch, and the fields that each needs besides `path`. */
const operations: Readonly<Record<string, readonly string[]>> = {
  add: ["value"],
  remove: [],
  replace: ["value"],
  move: ["from"],
  copy: ["from"],
  test: ["value"],
};

/** Maximum number of operations of a JSON patch. */
const operationsMax = 256;

/** Yields problems of the patches of one entry. */
export function* patchProblems(path: string, patches: readonly DeepReadonly<EntryPatch>[]): Iterable<Problem> {
  const bytes = patches.reduce((sum, { value }) => sum + utf8Length(JSON.stringify(value) ?? ""), 0);
  if (bytes > patchBytesMax) {
    const detail = `have ${bytes} bytes in total; at most ${patchBytesMax} are allowed. Move large values to a ConfigMap`;
    yield invalidField(path, `${patches.length} patches`, detail);
  }
  for (const [index, { type, value }] of patches.entries()) {
    const at = `${path}[${index}].value`;
    if (type === "JSON") yield* operationListProblems(at, value);
    else if (!isRecord(value)) {
      yield invalidField(
        at,
        kindOf(value),
        `must be an object for the type ${type}; a list of operations needs the type JSON`,
      );
    }
  }
}

function* operationListProblems(path: string, value: unknown): Iterable<Problem> {
  if (!isList(value)) {
    yield invalidField(
      path,
      kindOf(value),
      "must be a list of operations for the type JSON; an object needs the type Merge or Strategic",
    );
    return;
  }
  if (value.length > operationsMax) {
    yield invalidField(path, value.length, `must have at most ${operationsMax} operations; use a strategic patch`);
    return;
  }
  for (const [index, operation] of value.entries()) yield* operationProblems(`${path}[${index}]`, operation);
}

function* operationProblems(path: string, operation: unknown): Iterable<Problem> {
  if (!isRecord(operation)) {
    yield invalidField(
      path,
      kindOf(operation),
      'must be an operation such as {"op": "remove", "path": "/spec/paused"}',
    );
    return;
  }
  const op = ownValue(operation, "op");
  const needs = typeof op === "string" && Object.hasOwn(operations, op) ? operations[op] : undefined;
  if (needs === undefined) {
    yield invalidField(`${path}.op`, op ?? null, `must be one of ${Object.keys(operations).join(", ")}`);
    return;
  }
  yield* pointerProblems(`${path}.path`, ownValue(operation, "path"));
  for (const field of needs) {
    if (field === "from") yield* pointerProblems(`${path}.from`, ownValue(operation, "from"));
    else if (!Object.hasOwn(operation, field))
      yield requiredField(`${path}.${field}`, `the operation ${String(op)} needs it`);
  }
  if (op === "copy" || op === "move") yield* placeProblems(path, operation);
}

/**
 * Yields a problem if an operation copies a value to a different kind of field.
 *
 * Admission checks the names of Secrets that patches set in fields where pods reference them. A patch that copies a text from an
 * annotation to such a field would bypass this check.
 */
function* placeProblems(path: string, operation: JsonRecord): Iterable<Problem> {
  const [from, to] = ["from", "path"].map((field) => place(ownValue(operation, field)));
  if (from === undefined || to === undefined || from === to) return;
  yield invalidField(
    `${path}.from`,
    from,
    `must differ from path ${to} only in list positions; use the operation add with a value`,
  );
}

/** Returns a pointer with `*` for positions in lists; undefined for a value that is not a pointer. */
function place(pointer: unknown): string | undefined {
  if (typeof pointer !== "string") return undefined;
  return pointer.replaceAll(/\/(?:\d+|-)(?=\/|$)/g, "/*");
}

function* pointerProblems(path: string, pointer: unknown): Iterable<Problem> {
  if (typeof pointer !== "string") {
    yield requiredField(path, "must be a JSON pointer such as /spec/template/spec/containers/0");
    return;
  }
  try {
    parsePointer(pointer);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    yield invalidField(
      path,
      pointer,
      `must be a JSON pointer such as /spec/template/spec/containers/0: ${error.problem}`,
    );
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return isList(value) ? "list" : typeof value;
}
