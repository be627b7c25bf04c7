import { builtInColumns } from "../tables/columns.ts";
import { createdAtCells } from "../tables/created-at-cells.ts";
import type { TableForm } from "../tables/table.ts";
import { strategyOf } from "./strategies.ts";

/** Returns how a built-in resource is shown as a table; undefined where it is none or cannot be listed. */
export function builtInTable(group: string, plural: string): TableForm | undefined {
  const columns = builtInColumns(group, plural);
  if (columns === undefined) return undefined;
  const { table = { cells: createdAtCells } } = strategyOf({ group, plural });
  return { columns, ...table };
}
