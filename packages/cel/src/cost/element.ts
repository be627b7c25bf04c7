import type { CelType } from "../types/type.ts";
import type { CostNode } from "../types/cost-node.ts";

/** Returns a cost node for the elements of a list; undefined if the node is not a list. */
export function elementNode(list: CostNode): CostNode | undefined {
  const type = firstParameter(list.type);
  if (type === undefined) return undefined;
  const path = list.path === undefined ? undefined : [...list.path, "@items"];
  return { path, type, literal: undefined, computedSize: undefined };
}

function firstParameter(type: CelType): CelType | undefined {
  if (type.kind === "list" || type.kind === "optional") return type.element;
  if (type.kind === "map") return type.key;
  return type.kind === "opaque" ? type.params[0] : undefined;
}
