import { ParseError } from "../errors/parse-error.ts";
import { isList, isRecord, ownValue } from "../value/record.ts";
import { Draft } from "./draft.ts";
import { PatchError } from "./patch-error.ts";
import { parsePointer } from "./pointer.ts";

/** One operation of a JSON Patch (RFC 6902). Paths are JSON Pointers. */
export type JsonPatchOperation =
  /** Sets a key, or inserts before an element or after the last one (`-`). */
  | { readonly op: "add"; readonly path: string; readonly value: unknown }
  /** Removes the value at `path`. */
  | { readonly op: "remove"; readonly path: string }
  /** Replaces the value at `path`. */
  | { readonly op: "replace"; readonly path: string; readonly value: unknown }
  /** Removes the value at `from` and adds it at `path`. */
  | { readonly op: "move"; readonly from: string; readonly path: string }
  /** Adds a copy of the value at `from` at `path`. */
  | { readonly op: "copy"; readonly from: string; readonly path: string }
  /** Fails the whole patch unless the value at `path` is equal. */
  | { readonly op: "test"; readonly path: string; readonly value: unknown };

/** Limits of {@link applyJsonPatch}. The defaults are those of a kube-apiserver. */
export interface JsonPatchLimits {
  /** The maximum number of operations. Default 10,000. */
  readonly operationsMax?: number;
  /** The maximum total size of the values that `copy` operations copy, as JSON. Default 3 MiB. */
  readonly copiedBytesMax?: number;
}

/**
 * Applies a JSON Patch (RFC 6902) and returns the result.
 *
 * Neither the document nor the patch is changed. The result shares unchanged parts with them, so treat all of them as readonly. The
 * patch is not trusted: it is validated, and its cost is limited.
 *
 * Throws a {@link PatchError} that names the operation, its path and the reason.
 *
 * @example
 * applyJsonPatch(pod, [{ op: "remove", path: "/metadata/finalizers/0" }]);
 */
export function applyJsonPatch(document: unknown, patch: unknown, limits: JsonPatchLimits = {}): unknown {
  const { operationsMax = 10_000, copiedBytesMax = 3 * 1024 * 1024 } = limits;
  if (!isList(patch))
    throw new PatchError({ reason: "malformed", problem: "a JSON patch must be a list of operations" });
  if (patch.length > operationsMax) {
    const problem = `it has ${patch.length} operations, more than ${operationsMax}`;
    throw new PatchError({ reason: "too-large", problem });
  }
  const draft = new Draft(document, { copiedBytesMax });
  for (const [index, operation] of patch.entries()) {
    try {
      apply(draft, operation);
    } catch (error) {
      throw located(error, index, operation);
    }
  }
  return draft.document;
}

function apply(draft: Draft, operation: unknown): void {
  if (!isRecord(operation)) throw malformed("an operation must be an object");
  const op = ownValue(operation, "op");
  const path = pointerIn(operation, "path");
  switch (op) {
    case "add":
      draft.add(path, valueIn(operation));
      break;
    case "remove":
      draft.remove(path);
      break;
    case "replace":
      draft.replace(path, valueIn(operation));
      break;
    case "move":
      draft.move(pointerIn(operation, "from"), path);
      break;
    case "copy":
      draft.copy(pointerIn(operation, "from"), path);
      break;
    case "test":
      draft.test(path, valueIn(operation));
      break;
    default:
      throw malformed('op must be "add", "remove", "replace", "move", "copy" or "test"');
  }
}

function pointerIn(operation: Record<string, unknown>, key: "path" | "from"): string[] {
  const text = ownValue(operation, key);
  if (typeof text !== "string") throw malformed(`${key} must be a JSON pointer`);
  return parsePointer(text);
}

/** Returns the value of an operation, which is required but may be `null`. */
function valueIn(operation: Record<string, unknown>): unknown {
  const value = ownValue(operation, "value");
  if (value === undefined) throw malformed("value is required");
  return value;
}

function malformed(problem: string): PatchError {
  return new PatchError({ reason: "malformed", problem });
}

const operationNames: readonly unknown[] = ["add", "remove", "replace", "move", "copy", "test"];

/** Adds the operation to an error. */
function located(error: unknown, index: number, operation: unknown): unknown {
  const named = isRecord(operation) ? { op: ownValue(operation, "op"), path: ownValue(operation, "path") } : {};
  const op = typeof named.op === "string" && operationNames.includes(named.op) ? named.op : undefined;
  const path = typeof named.path === "string" ? named.path : undefined;
  if (error instanceof ParseError) {
    const problem = `${JSON.stringify(error.input.slice(0, 100))} is not a JSON pointer: ${error.problem}`;
    return new PatchError({ reason: "malformed", problem, index, op, path }, { cause: error });
  }
  if (!(error instanceof PatchError)) return error;
  const { reason, problem } = error;
  return new PatchError({ reason, problem, index, op, path: error.path ?? path });
}
