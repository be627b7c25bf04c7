import { builtInColumns } from "../tables/columns.ts";
import type { TableForm } from "../tables/table.ts";
import { createdAtCells } from "../tables/plain-cells.ts";
import { strategyOf } from "./strategies.ts";

/** Returns the Table columns and cells of a built-in resource; undefined for other resources and for those without `list`. */
export function builtInTable(group: string, plural: string): TableForm | undefined {
  const columns = builtInColumns(group, plural);
  if (columns === undefined) return undefined;
  const { table = { cells: createdAtCells } } = strategyOf({ group, plural });
  return { columns, ...table };
}
