import { countedAs } from "../../../admission/quota-evaluator.ts";
import { textAt } from "../../../values/fields.ts";
import { age, countOf, nameOf } from "../../../tables/cell-text.ts";
import { fieldAt, nameField, namespaceField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";
import { decodeSecret } from "./decode.ts";
import { checkChangedSecret, checkSecret } from "./validation.ts";

/** Secrets: `stringData` is write-only, and the type is immutable. */
export const secretStrategy: KindStrategy = {
  group: "",
  plural: "secrets",
  decode: decodeSecret,
  defaults: { "core.v1.Secret": { values: { type: "Opaque" } } },
  validate: checkSecret,
  validateUpdate: checkChangedSecret,
  validatesUpdateFirst: true,
  quota: countedAs("secrets"),
  table: { cells: secretCells },
  fieldSelectors: selectable(fieldAt("type"), namespaceField, nameField),
};

function secretCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "type"), countOf(object, "data"), age(object, nowMs)];
}
