import { listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** ControllerRevisions: only the Table differs from the general behaviour. */
export const controllerRevisionStrategy: KindStrategy = {
  group: "apps",
  plural: "controllerrevisions",
  table: { cells: controllerRevisionCells },
};

function controllerRevisionCells(object: unknown, nowMs: number): unknown[] {
  const owner = listAt(object, "metadata", "ownerReferences").find((each) => valueAt(each, "controller") === true);
  const [group, version] = textAt(owner, "apiVersion").split("/");
  const kind = `${textAt(owner, "kind")}${version === undefined ? "" : `.${group}`}`.toLowerCase();
  const controller = owner === undefined ? "<none>" : `${kind}/${textAt(owner, "name")}`;
  return [nameOf(object), controller, numberAt(object, "revision"), age(object, nowMs)];
}
