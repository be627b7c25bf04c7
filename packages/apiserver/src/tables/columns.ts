import { columnRows, columnWords } from "./generated/columns.ts";

/** A column of a Table. Only `kubectl get -o wide` shows columns with a priority above zero. */
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
    columns.map(([name, type, format, priority, text]): ColumnDefinition => ({
      name,
      type,
      format,
      description: columnWords[text] ?? "",
      priority,
    })),
  ]),
);

/** Returns the columns of a built-in resource; undefined for other resources. */
export function builtInColumns(group: string, plural: string): readonly ColumnDefinition[] | undefined {
  return known.get(`${plural}.${group}`);
}

/** The `Name` column of every Table. */
export const nameColumn: ColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  description: columnWords[0] ?? "",
  priority: 0,
};
