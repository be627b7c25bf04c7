import { quote } from "@homeostat/cel";
import type { FieldSelector, JsonRecord } from "@homeostat/core";
import type { BuiltInKind } from "../resources/resource.ts";
import { nameField, namespaceField, type SelectableFields } from "./selectors/selectable-fields.ts";
import { strategyOf } from "./strategies.ts";

const general: SelectableFields = {
  fields: new Map([nameField, namespaceField]),
  refusal: (field) => `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

function fieldsOf(kind: Pick<BuiltInKind, "group" | "plural">): SelectableFields {
  return strategyOf(kind).fieldSelectors ?? general;
}

/** Returns kube-apiserver's error for a field selector that a built-in kind does not support; undefined when it does. */
export function selectorProblem(
  kind: Pick<BuiltInKind, "group" | "plural">,
  selector: FieldSelector,
): string | undefined {
  const { fields, refusal } = fieldsOf(kind);
  const unknown = selector.requirements.find(({ field }) => !fields.has(field));
  return unknown === undefined ? undefined : refusal(unknown.field);
}

/** Returns the value of a field for selectors; empty when it is not set. */
export function selectableValue(
  kind: Pick<BuiltInKind, "group" | "plural">,
  object: JsonRecord,
  field: string,
): string {
  return fieldsOf(kind).fields.get(field)?.(object) ?? "";
}
