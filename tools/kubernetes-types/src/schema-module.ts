// Generates the schema modules, which custom resources use to embed Kubernetes types.

import { type Input, type Node, definitionOf } from "./input.ts";
import { aliasOf, locationOf, schemaNameOf } from "./names.ts";
import { notice } from "./notice.ts";
import { patterns, specialSchemas } from "./special-schemas.ts";
import { leaves, structuralDefinition } from "./structural.ts";
import { ownComment, quote } from "@homeostat/schema/internal";

/** Modules whose types can be embedded. A schema module is generated for each. */
const embeddable = [
  "apps/v1",
  "autoscaling/v2",
  "batch/v1",
  "core/v1",
  "meta/v1",
  "networking/v1",
  "policy/v1",
  "rbac/v1",
];

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** Meta types that are useful to embed although no spec contains them. */
const extraRoots = [`${meta}Condition`, `${meta}Duration`, `${meta}MicroTime`];

/** Generates the schema modules: text by path. */
export function schemaModules(input: Input): Map<string, string> {
  const order = dependencyOrder(input);
  const files = new Map<string, string>();
  for (const module of embeddable) {
    const own = order.filter((definition) => locationOf(definition).module === module);
    files.set(`${module}/schemas.ts`, schemaModule(input, module, own));
  }
  return files;
}

/** Returns the definitions reachable from the specs of the embeddable modules, dependencies first. */
function dependencyOrder(input: Input): string[] {
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    if (done.has(name)) return;
    if (trail.includes(name)) throw new Error(`${name} contains itself; a CRD cannot express recursion`);
    if (!embeddable.includes(locationOf(name).module)) throw new Error(`${name} is not in an embeddable module`);
    for (const child of isSpecial(name) ? [] : referencesOf(definitionOf(input, name))) visit(child, [...trail, name]);
    done.add(name);
  };
  visit(`${meta}Time`, []);
  for (const root of [...rootsOf(input), ...extraRoots].sort()) visit(root, []);
  return [...done];
}

/** Returns the types of the fields that users write: all fields of each served kind except status and metadata. */
function rootsOf(input: Input): string[] {
  const served = new Set(input.resources.map(({ group, version, kind }) => `${group}/${version}/${kind}`));
  return Object.entries(input.definitions)
    .filter(([name]) => embeddable.includes(locationOf(name).module))
    .filter(([, { kind }]) => kind !== undefined && served.has(`${kind.group}/${kind.version}/${kind.kind}`))
    .flatMap(([, { properties = {} }]) => Object.entries(properties))
    .filter(([field]) => field !== "metadata" && field !== "status")
    .flatMap(([, node]) => referencesOf(node));
}

function referencesOf(node: Node): string[] {
  const children = [node.items, node.additionalProperties, ...Object.values(node.properties ?? {})];
  const own = node.$ref === undefined ? [] : [node.$ref];
  return [...own, ...children.flatMap((child) => (child === undefined ? [] : referencesOf(child)))];
}

function isSpecial(definition: string): boolean {
  const { module, name } = locationOf(definition);
  return module === "meta/v1" && specialSchemas.has(name);
}

function schemaModule(input: Input, module: string, definitions: readonly string[]): string {
  const imports = new Set<string>();
  const reference = (definition: string): string => {
    const place = locationOf(definition);
    const name = `${schemaNameOf(place.name)}.schema`;
    if (place.module === module) return name;
    imports.add(place.module);
    return `${aliasOf(place.module)}Schemas.${name}`;
  };
  const exports = definitions.map((definition) => declare(input, definition, reference));
  const body = exports.join("\n");
  const runtime = [...imports]
    .sort()
    .map((other) => `import * as ${aliasOf(other)}Schemas from "../../${other}/schemas.ts";`);
  const head = [
    `import type * as ${aliasOf(module)} from "../../${module}.ts";`,
    'import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";',
    ...runtime,
  ];
  return `${notice(input.release)}${head.join("\n")}\n\n${constants(body)}${body}`;
}

function declare(input: Input, definition: string, reference: (definition: string) => string): string {
  const { module, name } = locationOf(definition);
  const special = isSpecial(definition) ? specialSchemas.get(name) : undefined;
  const schema = special?.schema ?? structuralDefinition(definitionOf(input, definition), reference);
  const comment = special?.comment ?? `The schema of ${/^[AEIOU]/.test(name) ? "an" : "a"} \`${name}\`.`;
  const type = `${aliasOf(module)}.${name}`;
  return [
    `${ownComment(comment)}export const ${schemaNameOf(name)}: EmbeddedType<${special?.narrow?.(type) ?? type}> = {`,
    `  name: ${quote(definition)},`,
    `  schema: ${schema.replace(/\n/g, "\n  ")},`,
    "};\n",
  ].join("\n");
}

/** Returns the declarations of the shared constants that the text uses. */
function constants(body: string): string {
  const used = new Set<string>();
  const lines: string[] = [];
  let text = body;
  for (const [schema, name] of [...leaves].reverse()) {
    if (!new RegExp(`[:[] ?${name}\\b`).test(text)) continue;
    used.add(name);
    const line = `const ${name}: EmbeddedSchema = ${schema};`;
    lines.unshift(line);
    text += line;
  }
  for (const [name, pattern] of patterns) {
    if (text.includes(name)) lines.push(`const ${name} =\n  ${quote(pattern)};`);
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}
