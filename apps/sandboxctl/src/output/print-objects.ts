// Objects in the formats of `--output`.

import type { KubeObject } from "@homeostat/core";
import { stringify } from "yaml";
import type { CommandContext } from "../command/context.ts";
import type { OutputFormat } from "../command/flags.ts";
import { tableLines } from "./table-lines.ts";

/** A column of a table of objects. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (object: T) => string;
  /** True for columns of the format `wide` only. */
  readonly isWide?: boolean;
}

/** Options of {@link printObjects}. */
export interface PrintOptions<T> {
  readonly objects: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly output: OutputFormat;
  /** Plural name of the kind, as in `sandbox.example.com`. */
  readonly resource: string;
  /** Printed to standard error if a table would be empty. */
  readonly none: string;
  /** True if `json` and `yaml` print one object instead of a list. */
  readonly isSingle?: boolean;
}

/** Prints objects in the format of the command line. */
export function printObjects<T extends KubeObject>(
  { objects, columns, output, resource, none, isSingle }: PrintOptions<T>,
  { print, note }: Pick<CommandContext, "print" | "note">,
): void {
  switch (output) {
    case "json":
    case "yaml":
      return printValue(isSingle === true ? objects[0] : listOf(objects), output, print);
    case "name":
      for (const { metadata } of objects) print(`${resource}/${metadata.name ?? ""}`);
      return;
    default: {
      if (objects.length === 0) return note(none);
      const shown = columns.filter(({ isWide }) => isWide !== true || output === "wide");
      const rows = objects.map((object) => shown.map(({ cell }) => cell(object)));
      for (const line of tableLines([shown.map(({ head }) => head), ...rows])) print(line);
    }
  }
}

/** Prints a value as JSON or YAML. */
export function printValue(value: unknown, output: "json" | "yaml", print: (line: string) => void): void {
  print(output === "json" ? JSON.stringify(value, undefined, 2) : stringify(value).trimEnd());
}

function listOf(items: readonly unknown[]): object {
  return { apiVersion: "v1", kind: "List", metadata: {}, items };
}
