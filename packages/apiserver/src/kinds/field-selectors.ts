import { quote } from "@homeostat/cel";
import type { FieldSelector, JsonRecord } from "@homeostat/core";
import type { BuiltInKind } from "./resource.ts";
import { nameField, namespaceField, type SelectableFields } from "./shared/selectable-fields.ts";
import { strategyOf } from "./strategies.ts";

const general: SelectableFields = {
  fields: new Map([nameField, namespaceField]),
  refusal: (field) => `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

function fieldsOf(kind: Pick<BuiltInKind, "group" | "plural">): SelectableFields {
  return strategyOf(kind).fieldSelectors ?? general;
}

/** Returns why a field selector cannot be used with a built-in kind, in the words of kube-apiserver; undefined when it can. */
export function selectorProblem(
  kind: Pick<BuiltInKind, "group" | "plural">,
  selector: FieldSelector,
): string | undefined {
  const { fields, refusal } = fieldsOf(kind);
  const unknown = selector.requirements.find(({ field }) => !fields.has(field));
  return unknown === undefined ? undefined : refusal(unknown.field);
}

/** Returns the value that a field selector compares; empty where there is none. */
export function selectableValue(
  kind: Pick<BuiltInKind, "group" | "plural">,
  object: JsonRecord,
  field: string,
): string {
  return fieldsOf(kind).fields.get(field)?.(object) ?? "";
}
