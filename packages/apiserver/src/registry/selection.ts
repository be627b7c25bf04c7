import { isRecord, type JsonRecord } from "@homeostat/core";
import type { ListOptions } from "../request/list-options.ts";
import { badRequest } from "../request/option-problem.ts";
import type { Entry } from "../storage/entry.ts";
import type { Store } from "../storage/store.ts";
import { textAt } from "../values/fields.ts";
import { isServedAsStored } from "./call.ts";
import type { ServedKind } from "../resources/served-kind.ts";

/** The objects that a list or watch selects. */
export interface Selection {
  /** Name of the only object that can match, if the path or the field selector gives one. */
  readonly name: string | undefined;
  /** Reports whether an entry matches; undefined when all do. */
  readonly matches: ((entry: Entry<JsonRecord>) => boolean) | undefined;
}

/**
 * Compiles the selectors of a list or watch. `name` is the one in the path; empty if there is none.
 *
 * Throws a `StatusError` (400) for a field that the kind does not support in selectors.
 */
export function selectionOf(
  kind: ServedKind,
  options: Pick<ListOptions, "fieldSelector" | "labelSelector">,
  { store, name }: { readonly store: Store<JsonRecord>; readonly name: string },
): Selection {
  const { fieldSelector, labelSelector } = options;
  const problem = kind.selectorProblem(fieldSelector);
  if (problem !== undefined) throw badRequest(problem);
  const selected = fieldSelector.requiredValue("metadata.name");
  if (name !== "" && selected !== undefined && selected !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  const only = name === "" ? selected : name;
  if (fieldSelector.isEverything && labelSelector.isEverything) return { name: only, matches: undefined };
  const matches = (entry: Entry<JsonRecord>): boolean => {
    const object = store.read(entry);
    return labelSelector.matches(labelsOf(object)) && fieldSelector.matches((field) => valueOf(kind, object, field));
  };
  return { name: only, matches };
}

function labelsOf(object: JsonRecord): Record<string, string> {
  const metadata = object["metadata"];
  const labels = isRecord(metadata) ? metadata["labels"] : undefined;
  return isLabels(labels) ? labels : {};
}

function isLabels(value: unknown): value is Record<string, string> {
  return isRecord(value);
}

function valueOf(kind: ServedKind, object: JsonRecord, field: string): string {
  if (field === "metadata.name") return textAt(object, "metadata", "name");
  if (field === "metadata.namespace") return textAt(object, "metadata", "namespace");
  if (isServedAsStored(kind)) return kind.fieldValue(object, field);
  const converted = kind.fromStored(object);
  // Selectors are evaluated synchronously, so no conversion webhook is called: the field is read from the stored version.
  return kind.fieldValue(converted instanceof Promise ? object : converted, field);
}
