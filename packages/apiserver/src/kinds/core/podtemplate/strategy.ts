import { valueAt } from "../../../values/fields.ts";
import { containerCells, labelText, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** PodTemplates: pod security admission checks the template; it is not validated. */
export const podTemplateStrategy: KindStrategy = {
  group: "",
  plural: "podtemplates",
  hasGeneration: true,
  returnsDeletedObject: true,
  podTemplatePath: ["template"],
  table: { cells: podTemplateCells },
};

function podTemplateCells(object: unknown): unknown[] {
  const template = valueAt(object, "template");
  return [nameOf(object), ...containerCells(template), labelText(template, "metadata", "labels")];
}
