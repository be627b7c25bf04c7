// Generates the module of one group and version: interfaces, descriptors and enums.

import { shorten } from "@homeostat/schema/internal";
import type { Definition, Input, Node, Resource } from "./input.ts";
import { definitionOf } from "./input.ts";
import { aliasOf, apiVersionOf, locationOf } from "./names.ts";
import { notice } from "./notice.ts";
import { coreTypes, specialTypes } from "./special-types.ts";
import { docComment, key, ownComment, quote, stringArray, union } from "@homeostat/schema/internal";

/** The full list of verbs, which most resources share. */
const everyVerb = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** An enum of the API: a Go string type and its values. */
export interface Enum {
  readonly values: readonly string[];
  /** Descriptions of values, where the API has them. */
  readonly comments: ReadonlyMap<string, string>;
}

/** Generates the text of the module with these definitions. */
export function typeModule(options: {
  readonly input: Input;
  readonly module: string;
  readonly definitions: readonly string[];
  readonly enums: ReadonlyMap<string, Enum>;
}): string {
  const { input, module } = options;
  const writer = new TypeWriter(input, module);
  const own = [...options.definitions].sort().filter((name) => !isCoreType(name));
  const interfaces = own.map((name) => writer.declare(name));
  const enums = [...options.enums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => declareEnum(name, values));
  return notice(input.release) + writer.head() + [...interfaces, ...enums].join("\n");
}

function isCoreType(definition: string): boolean {
  const { module, name } = locationOf(definition);
  return module === "meta/v1" && coreTypes.includes(name);
}

/** Generates declarations and records the imports they need. */
class TypeWriter {
  readonly #input: Input;
  readonly #module: string;
  readonly #modules = new Set<string>();
  readonly #helpers = new Set<string>();
  #usesEveryVerb = false;

  constructor(input: Input, module: string) {
    this.#input = input;
    this.#module = module;
  }

  /** Returns the imports and constants that the declarations generated so far need. */
  head(): string {
    const lines = [...this.#modules]
      .sort()
      .map((module) => `import type * as ${aliasOf(module)} from "../${module}.ts";`);
    if (this.#helpers.has("BuiltInResource")) {
      lines.push('import type { BuiltInResource } from "../../built-in-resource.ts";');
    }
    if (this.#helpers.has("Nested")) lines.push('import type { Nested } from "../../nested.ts";');
    if (this.#module === "meta/v1") {
      lines.unshift(`import type { ${coreTypes.join(", ")} } from "@homeostat/core";`);
      lines.push("", `export type { ${coreTypes.join(", ")} };`);
    }
    if (this.#usesEveryVerb) lines.push("", `const everyVerb: readonly string[] = ${stringArray(everyVerb)};`);
    return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
  }

  declare(name: string): string {
    const definition = definitionOf(this.#input, name);
    const { name: type } = locationOf(name);
    const special = specialTypes.get(name);
    if (special !== undefined) return `${ownComment(special.comment)}export type ${type} = ${special.type};\n`;

    const described = shorten(definition.description);
    const comment = docComment(described.text === "" ? { ...described, text: `The type \`${type}\`.` } : described);
    const fields = orderedFields(definition).map(([field, node]) => this.#field({ definition, field, node }));
    // An interface without fields would accept any value, so an empty object type is generated instead.
    const body =
      fields.length === 0
        ? `export type ${type} = Record<string, never>;\n`
        : `export interface ${type} {\n${fields.join("")}}\n`;
    const resource = this.#resourceOf(definition);
    return comment + body + (resource === undefined ? "" : `\n${this.#descriptor(type, resource)}`);
  }

  #field(options: { readonly definition: Definition; readonly field: string; readonly node: Node }): string {
    const { definition, field, node } = options;
    const typed = isTyped(definition);
    if (typed !== undefined && field === "apiVersion") {
      return `  apiVersion: ${quote(apiVersionOf(typed.group, typed.version))};\n`;
    }
    if (typed !== undefined && field === "kind") return `  kind: ${quote(typed.kind)};\n`;
    const mark = this.#isRequired(definition, field, node) ? "" : "?";
    const comment = field === "metadata" && typed !== undefined ? "" : docComment(shorten(node.description), "  ");
    const nested = !(isList(definition) && field === "items");
    return `${comment}  ${key(field)}${mark}: ${this.#type(node, { nested })};\n`;
  }

  /**
   * Reports whether a field is required.
   *
   * In addition to the API's own list: every object and every list has metadata, and a kind whose spec has required fields needs its spec,
   * because the server reads an absent spec as an empty one and then misses those fields.
   */
  #isRequired(definition: Definition, field: string, node: Node): boolean {
    if (definition.required?.includes(field) === true) return true;
    if (isTyped(definition) === undefined) return false;
    if (field === "metadata") return node.$ref?.endsWith(".ObjectMeta") === true || isList(definition);
    const isServed = this.#resourceOf(definition) !== undefined;
    if (field !== "spec" || !isServed || node.$ref === undefined) return false;
    return (definitionOf(this.#input, node.$ref).required?.length ?? 0) > 0;
  }

  #type(node: Node, options: { readonly nested: boolean }): string {
    if (node.$ref !== undefined) {
      const type = this.#reference(node.$ref);
      if (!options.nested || isTyped(definitionOf(this.#input, node.$ref)) === undefined) return type;
      this.#helpers.add("Nested");
      return `Nested<${type}>`;
    }
    const enumType = node["x-enum-type"];
    if (enumType !== undefined) return this.#reference(enumType);
    if (node.enum !== undefined) return `(${union(node.enum, "")})`;
    switch (node.type) {
      case "string":
      case "boolean":
      case "number":
        return node.type;
      case "integer":
        return "number";
      case "array":
        return `${this.#type(node.items ?? {}, options)}[]`;
      case "object":
        // An object without further schema is Go's `any`: for example, table cells are numbers and strings.
        if (node.additionalProperties === undefined) return "unknown";
        return `Record<string, ${this.#type(node.additionalProperties, options)}>`;
      case undefined:
        return "unknown";
      default:
        throw new Error(`no TypeScript for a node of type ${node.type}`);
    }
  }

  #reference(definition: string): string {
    const { module, name } = locationOf(definition);
    if (module === this.#module) return name;
    this.#modules.add(module);
    return `${aliasOf(module)}.${name}`;
  }

  #resourceOf({ kind }: Definition): Resource | undefined {
    if (kind === undefined) return undefined;
    const found = this.#input.resources.filter(
      (resource) => resource.kind === kind.kind && resource.group === kind.group && resource.version === kind.version,
    );
    if (found.length > 1) throw new Error(`${kind.kind} of ${kind.group}/${kind.version} is served under two names`);
    return found[0];
  }

  #descriptor(type: string, resource: Resource): string {
    this.#helpers.add("BuiltInResource");
    const scope = resource.namespaced ? "Namespaced" : "Cluster";
    const hasEveryVerb = resource.verbs.join() === everyVerb.join();
    if (hasEveryVerb) this.#usesEveryVerb = true;
    const subresources = (resource.subresources ?? []).map(({ name }) => name);
    return [
      `/** The resource \`${resource.plural}\` of \`${apiVersionOf(resource.group, resource.version)}\`. */`,
      `export const ${type}: BuiltInResource<${type}, ${quote(scope)}> = {`,
      `  group: ${quote(resource.group)},`,
      `  version: ${quote(resource.version)},`,
      `  kind: ${quote(resource.kind)},`,
      `  plural: ${quote(resource.plural)},`,
      `  singular: ${quote(resource.singular)},`,
      `  scope: ${quote(scope)},`,
      `  shortNames: ${stringArray(resource.shortNames ?? [])},`,
      `  categories: ${stringArray(resource.categories ?? [])},`,
      `  subresources: ${stringArray(subresources)},`,
      `  verbs: ${hasEveryVerb ? "everyVerb" : stringArray(resource.verbs)},`,
      "};\n",
    ].join("\n");
  }
}

/** Returns the kind of a type whose objects have `apiVersion` and `kind`. Options types have none: they are sent as URL parameters. */
function isTyped({ kind, properties }: Definition): Definition["kind"] {
  return properties?.["apiVersion"] === undefined || kind?.kind.endsWith("Options") === true ? undefined : kind;
}

function isList({ kind, properties }: Definition): boolean {
  return kind?.kind.endsWith("List") === true && properties?.["items"] !== undefined;
}

/** Returns the fields in the usual order: apiVersion and kind, metadata, then the rest by name. */
function orderedFields(definition: Definition): [string, Node][] {
  const first = isTyped(definition) === undefined ? [] : ["apiVersion", "kind", "metadata"];
  const rank = (field: string): number => (first.includes(field) ? first.indexOf(field) : first.length);
  return Object.entries(definition.properties ?? {}).sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function declareEnum(name: string, { values, comments }: Enum): string {
  const list = values.flatMap((value) => {
    const comment = comments.get(value) ?? "";
    return comment === "" ? [] : [`- \`${quote(value)}\` ${comment}`];
  });
  const prefix = `export type ${name} = `;
  const declaration = `${prefix.trimEnd()}${union(values, prefix).replace(/^(?!\n)/, " ")};\n`;
  return ownComment(`The values of \`${name}\`.`, { list }) + declaration;
}
