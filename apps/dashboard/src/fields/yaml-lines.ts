import { type DeepReadonly, isList, isRecord, type KubeObject } from "@homeostat/core";
import type { YamlLine } from "../api/types.ts";
import { fieldOwners, type FieldOwners, ownersOfField, ownersOfItem } from "./field-owners.ts";

/** Largest number of lines; the rest of a larger object is left out. */
const linesMax = 5_000;

/** Returns an object as lines of YAML without `managedFields`, each with the field managers that own its field. */
export function yamlLines(object: DeepReadonly<KubeObject>): YamlLine[] {
  const { managedFields = [], ...metadata } = object.metadata;
  const lines: YamlLine[] = [];
  writeRecord({ ...object, metadata }, fieldOwners(managedFields), { indent: "", lines });
  return lines.length <= linesMax
    ? lines
    : [...lines.slice(0, linesMax), { text: `# ${lines.length - linesMax} more lines`, managers: [] }];
}

interface Place {
  readonly indent: string;
  readonly lines: YamlLine[];
  /** Text before the first line instead of the indent: the dash of a list item. */
  readonly first?: string;
}

function writeRecord(value: Readonly<Record<string, unknown>>, owners: FieldOwners, place: Place): void {
  let { first } = place;
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    write(`${first ?? place.indent}${plain(name)}:`, field, { ...place, owners: ownersOfField(owners, name) });
    first = undefined;
  }
}

function write(head: string, value: unknown, place: Place & { readonly owners: FieldOwners }): void {
  const { owners, indent, lines } = place;
  const managers = [...new Set([...owners.managers, ...owners.whole])];
  if (isList(value) && value.length > 0) {
    lines.push({ text: head, managers });
    value.forEach((item, index) => writeItem(item, ownersOfItem(owners, item, index), { indent, lines }));
  } else if (isRecord(value) && Object.keys(value).length > 0) {
    lines.push({ text: head, managers });
    writeRecord(value, owners, { indent: `${indent}  `, lines });
  } else if (typeof value === "string" && value.includes("\n")) {
    lines.push({ text: `${head} |${value.endsWith("\n") ? "" : "-"}`, managers });
    for (const line of value.replace(/\n$/, "").split("\n")) lines.push({ text: `${indent}  ${line}`, managers });
  } else lines.push({ text: `${head} ${scalar(value)}`, managers });
}

function writeItem(item: unknown, owners: FieldOwners, { indent, lines }: Place): void {
  if (isRecord(item) && Object.keys(item).length > 0)
    writeRecord(item, owners, { indent: `${indent}  `, lines, first: `${indent}- ` });
  else write(`${indent}-`, item, { indent: `${indent}  `, lines, owners });
}

function scalar(value: unknown): string {
  return typeof value === "string" ? plain(value) : (JSON.stringify(value) ?? "null");
}

/** Returns a text as a plain scalar if YAML reads it as the same text, and quoted otherwise. */
function plain(text: string): string {
  const isPlain =
    /^[A-Za-z_./$][\w./@$+=-]*(?:[ :][\w./@$+=(),-]+)*$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan)$/i.test(text) &&
    !/: |\s#/.test(text);
  return isPlain ? text : JSON.stringify(text);
}
