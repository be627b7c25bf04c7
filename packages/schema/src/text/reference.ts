import type { Resource, ResourceVersion } from "../resource/resource.ts";
import type { Schema, ValidationRule } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";

/** Options of {@link toReference}. */
export interface ReferenceOptions {
  /** Paths of fields that are listed without the fields below them, such as a pod template: `["spec.template"]`. */
  readonly closed?: readonly string[];
}

/**
 * Generates a Markdown reference of a resource: for each version a table of fields, followed by its rules.
 *
 * In paths, `[]` stands for the items of a list and `*` for the keys of a map.
 */
export function toReference(resource: Resource, options: ReferenceOptions = {}): string {
  const { names } = resource;
  const versions = Object.values(resource.versions);
  return [
    `# ${names.kind}`,
    "",
    `\`${names.plural}.${resource.group}\`, ${resource.scope === "Cluster" ? "cluster-scoped" : "namespaced"}` +
      (names.shortNames.length > 0 ? `, short name ${names.shortNames.map(code).join(", ")}` : ""),
    ...versions.flatMap((version) => ["", ...versionPage(version, new Set(options.closed))]),
    "",
  ].join("\n");
}

function versionPage(version: ResourceVersion, closed: ReadonlySet<string>): string[] {
  const notes = [
    version.storage ? "stored" : "",
    version.served ? "" : "not served",
    version.deprecated ? "deprecated" : "",
  ].filter((note) => note !== "");
  const parts = Object.entries(version.schema.properties ?? {}).filter(
    ([name]) => name === "spec" || name === "status",
  );
  const rows = parts.flatMap(([name, schema]) =>
    rowsOf({ path: name, schema, isRequired: version.schema.required?.includes(name) === true }, closed),
  );
  const rules = [...rulesOf("", version.schema, closed)];
  return [
    `## ${version.version}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`,
    "",
    ...(version.schema.description === undefined ? [] : [version.schema.description, ""]),
    "| field | type | default | description |",
    "| --- | --- | --- | --- |",
    ...rows,
    ...(rules.length > 0 ? ["", ...rules.map((rule) => `- ${rule}`)] : []),
  ];
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function rowsOf({ path, schema, isRequired }: Row, closed: ReadonlySet<string>): string[] {
  const given = schema.default === undefined ? (isRequired ? "required" : "") : defaultOf(schema.default);
  const row = `| ${code(path)} | ${typeOf(schema)} | ${given} | ${cell(schema.description ?? "")} |`;
  return closed.has(path) ? [row] : [row, ...childrenOf(path, schema).flatMap((child) => rowsOf(child, closed))];
}

/** The longest default that is shown. A longer one, such as a list of conditions, would make every row of the table as wide. */
const defaultLengthMax = 400;

function defaultOf(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > defaultLengthMax ? "see the CRD" : code(text);
}

/** Returns the fields below a field. Items of lists and values of maps have no row of their own, only their fields have. */
function childrenOf(path: string, schema: Schema): Row[] {
  const { properties, items, additionalProperties } = schema;
  if (items !== undefined) return childrenOf(`${path}[]`, items);
  if (typeof additionalProperties === "object") return childrenOf(`${path}.*`, additionalProperties);
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    path: `${path}.${name}`,
    schema: property,
    isRequired: schema.required?.includes(name) === true,
  }));
}

function typeOf(schema: Schema): string {
  const limits = limitsOf(schema);
  return cell(`${nameOf(schema)}${schema.nullable === true ? " or null" : ""}${limits === "" ? "" : `, ${limits}`}`);
}

function nameOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(", ");
  if (schema["x-kubernetes-int-or-string"] === true) return "integer or string";
  if (schema.items !== undefined)
    return `${schema["x-kubernetes-list-type"] ?? "atomic"} list of ${nameOf(schema.items)}`;
  if (typeof schema.additionalProperties === "object") return `map of ${nameOf(schema.additionalProperties)}`;
  if (schema["x-kubernetes-embedded-resource"] === true) return "Kubernetes object";
  if (schema.type === undefined) return "any JSON";
  return schema.format === undefined || schema.format.startsWith("int")
    ? schema.type
    : `${schema.type} (${schema.format})`;
}

function limitsOf(schema: Schema): string {
  const limits: [string, number | undefined][] = [
    [schema.exclusiveMinimum === true ? ">" : ">=", schema.minimum],
    [schema.exclusiveMaximum === true ? "<" : "<=", schema.maximum],
    ["multiple of", schema.multipleOf],
    ["at least characters", schema.minLength],
    ["at most characters", schema.maxLength],
    ["at least items", schema.minItems],
    ["at most items", schema.maxItems],
    ["at least keys", schema.minProperties],
    ["at most keys", schema.maxProperties],
  ];
  const words = limits.flatMap(([word, value]) => {
    if (value === undefined) return [];
    const [, bound, unit] = /^(at \w+) (\w+)$/.exec(word) ?? [];
    return [bound === undefined ? `${word} ${value}` : `${bound} ${value} ${unit}`];
  });
  const pattern = schema.pattern === undefined ? [] : [`matches ${code(schema.pattern)}`];
  return [...words, ...pattern].join(", ");
}

function* rulesOf(path: string, schema: Schema, closed: ReadonlySet<string>): Generator<string> {
  for (const rule of schema["x-kubernetes-validations"] ?? []) yield formatRule(path, rule);
  if (closed.has(path)) return;
  const { properties = {}, items, additionalProperties } = schema;
  for (const [name, property] of Object.entries(properties)) {
    yield* rulesOf(path === "" ? name : `${path}.${name}`, property, closed);
  }
  if (items !== undefined) yield* rulesOf(`${path}[]`, items, closed);
  if (typeof additionalProperties === "object") yield* rulesOf(`${path}.*`, additionalProperties, closed);
}

function formatRule(path: string, { rule, message }: ValidationRule): string {
  const prefix = path === "" ? "" : `${code(path)}: `;
  return message === undefined ? `${prefix}${code(rule)}` : `${prefix}${message} (${code(rule)})`;
}

/** Formats text as inline code. The fence has one more backquote than the longest run inside the text. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([found]) => found.length));
  const fence = "`".repeat(longest + 1);
  // CommonMark needs the spaces only next to a backtick; formatters remove others.
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** Formats text for a table cell: one line, with escaped bars. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}
