import { builtInColumns } from "../tables/columns.ts";
import type { TableForm } from "../tables/table.ts";
import { createdAtCells } from "./shared/plain-cells.ts";
import { strategyOf } from "./strategies.ts";

/** Returns how a built-in resource is shown as a table; undefined where it is none or cannot be listed. */
export function builtInTable(group: string, plural: string): TableForm | undefined {
  const columns = builtInColumns(group, plural);
  if (columns === undefined) return undefined;
  const { table = { cells: createdAtCells } } = strategyOf({ group, plural });
  return { columns, ...table };
}
