import { textAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { fieldAt, nameField } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";

/** ResourceSlices: kubelets and drivers select them by node and driver. */
export const resourceSliceStrategy: KindStrategy = {
  group: "resource.k8s.io",
  plural: "resourceslices",
  hasGeneration: true,
  returnsDeletedObject: true,
  table: { cells: deviceSliceCells },
  fieldSelectors: {
    fields: new Map([nameField, fieldAt("spec.nodeName"), fieldAt("spec.driver")]),
    refusal: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  },
};

function deviceSliceCells(object: unknown, nowMs: number): unknown[] {
  const { node, driver, pool } = {
    node: textAt(object, "spec", "nodeName"),
    driver: textAt(object, "spec", "driver"),
    pool: textAt(object, "spec", "pool", "name"),
  };
  return [nameOf(object), node, driver, pool, age(object, nowMs)];
}
