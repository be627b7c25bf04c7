import { ArgumentError } from "../errors/argument-error.ts";
import { unknownFailure } from "./strategic-error.ts";
import type { StrategicField, StrategicType } from "./strategic-type.ts";

/**
 * Rules of one field of a {@link StrategicTable}: its sort, the name of the type of the object or of the list's elements (empty for a
 * map and for primitive elements), the patch strategy, and the merge key.
 */
export type StrategicRow = readonly [
  sort: "object" | "list" | "map",
  type?: string,
  strategy?: "" | "merge" | "replace",
  mergeKey?: string,
];

/** Fields of types, by the name of the type and of the field. Only objects, maps and lists are listed. */
export type StrategicTable = { readonly [type: string]: { readonly [field: string]: StrategicRow } };

/**
 * Returns a type of a table for `applyStrategicMergePatch`. Throws an {@link ArgumentError} if the table has no such type.
 *
 * @example
 * strategicType({ Pod: { spec: ["object", "PodSpec"] }, PodSpec: { containers: ["list", "", "merge", "name"] } }, "Pod");
 */
export function strategicType(table: StrategicTable, name: string): StrategicType {
  if (!Object.hasOwn(table, name))
    throw new ArgumentError({ argument: "name", problem: `is ${name}, not in the table` });
  return new TableType(table, name, "struct");
}

class TableType implements StrategicType {
  readonly #table: StrategicTable;
  readonly #name: string;
  readonly goKind: string;

  constructor(table: StrategicTable, name: string, goKind: string) {
    this.#table = table;
    this.#name = name;
    this.goKind = goKind;
  }

  objectField(key: string): StrategicField {
    const [sort, type = "", strategy = "", mergeKey = ""] = this.#row(key);
    const goKind = sort === "object" ? "struct" : sort === "list" ? "slice" : "map";
    return { type: new TableType(this.#table, type, goKind), strategy, mergeKey };
  }

  listField(key: string): StrategicField {
    const [sort, type = "", strategy = "", mergeKey = ""] = this.#row(key);
    if (sort !== "list") throw unknownFailure(`expected slice or array type, but got: ${this.goKind}`);
    return { type: new TableType(this.#table, type, type === "" ? "string" : "struct"), strategy, mergeKey };
  }

  #row(key: string): StrategicRow {
    if (this.goKind !== "struct") {
      throw unknownFailure(`merging an object in json but data type is not struct, instead is: ${this.goKind}`);
    }
    const fields = Object.hasOwn(this.#table, this.#name) ? this.#table[this.#name] : undefined;
    const row = fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (row !== undefined) return row;
    const struct = this.#name.slice(this.#name.lastIndexOf(".") + 1);
    throw unknownFailure(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`);
  }
}
