import type { FieldSelector, JsonRecord } from "@homeostat/core";
import { printGo } from "../codec/go-text.ts";
import type { Definition, DefinitionVersion } from "./definition.ts";
import { recordOf, textOf, valueAtPath } from "../values/properties.ts";

/** Field selector support of a version. */
export interface SelectableFields {
  readonly selectorProblem: (selector: FieldSelector) => string | undefined;
  readonly fieldValue: (object: JsonRecord, field: string) => string;
}

/** Returns the field selector support of a version: name, namespace, and the selectable fields of the definition. */
export function selectableFields(
  { scope }: Pick<Definition, "scope">,
  { selectableFields: paths }: Pick<DefinitionVersion, "selectableFields">,
): SelectableFields {
  const own = new Map(paths.map((path) => [path.replace(/^\./, ""), path.replace(/^\./, "").split(".")]));
  const standard = scope === "Cluster" ? ["metadata.name"] : ["metadata.name", "metadata.namespace"];
  return {
    selectorProblem: ({ requirements }) => {
      const unknown = requirements.find(({ field }) => !own.has(field) && !standard.includes(field));
      return unknown === undefined ? undefined : `field label not supported: ${unknown.field}`;
    },
    fieldValue: (object, field) => {
      const steps = own.get(field);
      if (steps === undefined) return textOf(recordOf(object, "metadata"), field.replace("metadata.", ""));
      const value = valueAtPath(object, steps);
      return value === undefined || value === null ? "" : printGo(value);
    },
  };
}
