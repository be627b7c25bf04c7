import { listAt, textAt } from "../../../values/fields.ts";
import { nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";
import { componentEndpoint } from "./endpoints.ts";

/** ComponentStatuses: computed on each request, never stored. */
export const componentStatusStrategy: KindStrategy = {
  group: "",
  plural: "componentstatuses",
  endpoints: (tools, kind) => [componentEndpoint(tools, kind)],
  table: { cells: componentCells },
};

function componentCells(object: unknown): unknown[] {
  const healthy = listAt(object, "conditions").find((each) => textAt(each, "type") === "Healthy");
  const status = healthy === undefined ? "Unknown" : textAt(healthy, "status") === "True" ? "Healthy" : "Unhealthy";
  return [nameOf(object), status, textAt(healthy, "message"), textAt(healthy, "error")];
}
