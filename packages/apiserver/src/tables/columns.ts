import { columnRows, columnWords } from "./generated/columns.ts";

/** A column of a table. Columns of priority above zero are shown by `kubectl get -o wide` alone. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

const known = new Map(
  columnRows.map(([resource, columns]) => [
    resource,
    columns.map(([name, type, format, priority, words]): ColumnDefinition => ({
      name,
      type,
      format,
      description: columnWords[words] ?? "",
      priority,
    })),
  ]),
);

/** The columns of a built-in resource; undefined where it is none. */
export function builtInColumns(group: string, plural: string): readonly ColumnDefinition[] | undefined {
  return known.get(`${plural}.${group}`);
}

/** What every table says of the column with names. */
export const nameColumn: ColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  description: columnWords[0] ?? "",
  priority: 0,
};
