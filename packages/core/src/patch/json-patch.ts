import { ParseError } from "../errors/parse-error.ts";
import { isList, isRecord, ownValue } from "../value/record.ts";
import { Draft } from "./draft.ts";
import { PatchError } from "./patch-error.ts";
import { parsePointer } from "./pointer.ts";

/** One operation of a JSON Patch (RFC 6902). Paths are JSON Pointers. */
export type JsonPatchOperation =
  /** Puts a value at a key, before an element, or behind the last one (`-`). */
  | { readonly op: "add"; readonly path: string; readonly value: unknown }
  /** Takes away what is there. */
  | { readonly op: "remove"; readonly path: string }
  /** Exchanges what is there. */
  | { readonly op: "replace"; readonly path: string; readonly value: unknown }
  /** Takes away what is at `from` and adds it at `path`. */
  | { readonly op: "move"; readonly from: string; readonly path: string }
  /** Adds a copy of what is at `from` at `path`. */
  | { readonly op: "copy"; readonly from: string; readonly path: string }
  /** Fails the whole patch unless this value is there. */
  | { readonly op: "test"; readonly path: string; readonly value: unknown };

/** Limits of {@link applyJsonPatch}. The defaults are those of a kube-apiserver. */
export interface JsonPatchLimits {
  /** How many operations a patch may have. Default 10,000. */
  readonly operationsMax?: number;
  /** How large everything that `copy` operations copy may be together, as JSON text. Default 3 MiB. */
  readonly copiedBytesMax?: number;
}

/**
 * Applies a JSON Patch (RFC 6902) and returns the result; on any failure nothing has happened.
 *
 * Neither the document nor the patch is changed; the result shares with them what it did not have to copy, so treat all
 * of them as read-only. The patch may come from anybody: it is checked, not trusted, and its cost is limited.
 *
 * Throws a {@link PatchError} that names the operation, its path and the reason.
 *
 * @example
 * applyJsonPatch(pod, [{ op: "remove", path: "/metadata/finalizers/0" }]);
 */
export function applyJsonPatch(document: unknown, patch: unknown, limits: JsonPatchLimits = {}): unknown {
  const { operationsMax = 10_000, copiedBytesMax = 3 * 1024 * 1024 } = limits;
  if (!isList(patch)) throw new PatchError({ reason: "malformed", problem: "a JSON patch is a list of operations" });
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
  if (!isRecord(operation)) throw malformed("an operation is an object");
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

/** The value of an operation. `null` is a value; leaving it out is a mistake. */
function valueIn(operation: Record<string, unknown>): unknown {
  const value = ownValue(operation, "value");
  if (value === undefined) throw malformed("value is missing");
  return value;
}

function malformed(problem: string): PatchError {
  return new PatchError({ reason: "malformed", problem });
}

const operationNames: readonly unknown[] = ["add", "remove", "replace", "move", "copy", "test"];

/** The error with the operation it belongs to. */
function located(error: unknown, index: number, operation: unknown): unknown {
  const named = isRecord(operation) ? { op: ownValue(operation, "op"), path: ownValue(operation, "path") } : {};
  const op = typeof named.op === "string" && operationNames.includes(named.op) ? named.op : undefined;
  const path = typeof named.path === "string" ? named.path : undefined;
  if (error instanceof ParseError) {
    const problem = `${JSON.stringify(error.input.slice(0, 100))} is no JSON pointer: ${error.problem}`;
    return new PatchError({ reason: "malformed", problem, index, op, path }, { cause: error });
  }
  if (!(error instanceof PatchError)) return error;
  const { reason, problem } = error;
  return new PatchError({ reason, problem, index, op, path: error.path ?? path });
}
