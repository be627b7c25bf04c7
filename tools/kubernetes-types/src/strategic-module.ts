// Generates the table of rules for strategic merge patches.

import { type Definition, definitionOf, type Input, type Node } from "./input.ts";
import { locationOf } from "./names.ts";
import { notice } from "./notice.ts";
import { quote } from "@homeostat/schema/internal";

/** Modules whose kinds can be patched with the table. */
const modules = ["apps/v1", "batch/v1", "core/v1"];

/** Generates the module with the rules of all types that kinds of some modules contain. */
export function strategicModule(input: Input): string {
  const lines = reachable(input).flatMap((name) => {
    const rows = Object.entries(definitionOf(input, name).properties ?? {}).flatMap(([field, node]) =>
      rowOf(field, node),
    );
    return rows.length === 0 ? [] : [`  ${quote(keyOf(name))}: { ${rows.join(", ")} },`];
  });
  return [
    `${notice(input.release)}import type { StrategicTable } from "@homeostat/core";`,
    "",
    "/** The rules of strategic merge patches for the types that workloads and core kinds contain: `apps/v1.Deployment`. */",
    "export const strategicTypes: StrategicTable = {",
    ...lines.sort(),
    "};",
    "",
  ].join("\n");
}

function keyOf(definition: string): string {
  const { module, name } = locationOf(definition);
  return `${module}.${name}`;
}

/** Returns the definitions that the served kinds of the modules contain, in any depth. */
function reachable(input: Input): string[] {
  const served = new Set(input.resources.map(({ group, version, kind }) => `${group}/${version}/${kind}`));
  const isRoot = ([name, { kind }]: [string, Definition]): boolean =>
    kind !== undefined &&
    modules.includes(locationOf(name).module) &&
    served.has(`${kind.group}/${kind.version}/${kind.kind}`);
  const found = new Set(
    Object.entries(input.definitions)
      .filter(isRoot)
      .map(([name]) => name),
  );
  for (const name of found) {
    for (const node of Object.values(definitionOf(input, name).properties ?? {})) {
      const child = node.$ref ?? node.items?.$ref;
      if (child !== undefined) found.add(child);
    }
  }
  return [...found];
}

/** Returns the row of a field, or nothing for a scalar. */
function rowOf(field: string, node: Node): string[] {
  const sort =
    node.$ref !== undefined
      ? "object"
      : node.type === "array"
        ? "list"
        : node.additionalProperties !== undefined
          ? "map"
          : undefined;
  if (sort === undefined) return [];
  const reference = node.$ref ?? node.items?.$ref;
  const strategies = (node["x-kubernetes-patch-strategy"] ?? "").split(",").filter((each) => each !== "retainKeys");
  const parts = [
    sort,
    reference === undefined ? "" : keyOf(reference),
    strategies[0] ?? "",
    node["x-kubernetes-patch-merge-key"] ?? "",
  ];
  while (parts.at(-1) === "") parts.pop();
  const name = /^[a-z]\w*$/i.test(field) ? field : quote(field);
  return [`${name}: [${parts.map(quote).join(", ")}]`];
}
