import type { Resource, ResourceVersion } from "../resource/resource.ts";
import type { Schema, ValidationRule } from "../structural/schema.ts";

/** What a reference leaves out. */
export interface ReferenceOptions {
  /** Fields that get a row but not their own fields, such as a pod template: `["spec.template"]`. */
  readonly closed?: readonly string[];
}

/**
 * The fields of a resource as a page of Markdown: a table for each version, and its rules below.
 *
 * `[]` in a path stands for the items of a list, `*` for the keys of a map.
 */
export function toReference(resource: Resource, options: ReferenceOptions = {}): string {
  const { names } = resource;
  const versions = Object.values(resource.versions);
  return [
    `# ${names.kind}`,
    "",
    `\`${names.plural}.${resource.group}\`, ${resource.scope === "Cluster" ? "cluster-wide" : "in a namespace"}` +
      (names.shortNames.length > 0 ? `, short ${names.shortNames.map(code).join(", ")}` : ""),
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
  const given = schema.default === undefined ? (isRequired ? "required" : "") : code(JSON.stringify(schema.default));
  const row = `| ${code(path)} | ${typeOf(schema)} | ${given} | ${cell(schema.description ?? "")} |`;
  return closed.has(path) ? [row] : [row, ...childrenOf(path, schema).flatMap((child) => rowsOf(child, closed))];
}

/** The fields below a field. The items of a list and the values of a map count only where they have fields. */
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
  for (const rule of schema["x-kubernetes-validations"] ?? []) yield showRule(path, rule);
  if (closed.has(path)) return;
  const { properties = {}, items, additionalProperties } = schema;
  for (const [name, property] of Object.entries(properties)) {
    yield* rulesOf(path === "" ? name : `${path}.${name}`, property, closed);
  }
  if (items !== undefined) yield* rulesOf(`${path}[]`, items, closed);
  if (typeof additionalProperties === "object") yield* rulesOf(`${path}.*`, additionalProperties, closed);
}

function showRule(path: string, { rule, message }: ValidationRule): string {
  const place = path === "" ? "" : `${code(path)}: `;
  return message === undefined ? `${place}${code(rule)}` : `${place}${message} (${code(rule)})`;
}

/** Text as code. A text with backquotes needs more of them around it. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([found]) => found.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

/** Text for a cell of a table, which is one line and has no bars of its own. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}
