import type { Schema } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";
import { shorten } from "./description.ts";
import { docComment, key } from "./typescript.ts";

/** Writes the TypeScript types of schemas: one interface for each object, named after its path. */
export class TypeWriter {
  readonly #declarations: (string | undefined)[] = [];
  readonly #names = new Set<string>();
  readonly #written = new Map<Schema, { read?: string; write?: string }>();
  #usesKubeObject = false;

  /** Reserves names, so that no interface gets them. */
  constructor(reserved: readonly string[] = []) {
    for (const name of reserved) this.#names.add(name);
  }

  /** True if a type refers to `KubeObject`. */
  get usesKubeObject(): boolean {
    return this.#usesKubeObject;
  }

  /** Returns the declarations of all interfaces so far, outer ones first. */
  get text(): string {
    return this.#declarations.filter((text) => text !== undefined).join("\n");
  }

  /**
   * Returns the type of values of a schema, and declares the interfaces that it needs.
   *
   * In a type for reading, fields with a default are present, because the API server adds them. In a type for writing they are optional.
   * A schema without defaults has one type for both.
   */
  typeOf(schema: Schema, { name, mode }: { readonly name: string; readonly mode: "read" | "write" }): string {
    const type = this.#typeWithoutNull(schema, { name, mode });
    return schema.nullable === true ? `${type} | null` : type;
  }

  #typeWithoutNull(schema: Schema, { name, mode }: { readonly name: string; readonly mode: "read" | "write" }): string {
    if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
    if (schema.enum !== undefined) return schema.enum.map(literal).join(" | ");
    switch (schema.type) {
      case "string":
      case "boolean":
        return schema.type;
      case "integer":
      case "number":
        return "number";
      case "array": {
        const item = schema.items === undefined ? "unknown" : this.typeOf(schema.items, { name: `${name}Item`, mode });
        return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
      }
      case "object":
        return this.#object(schema, { name, mode });
      default:
        return "unknown";
    }
  }

  #object(schema: Schema, { name, mode }: { readonly name: string; readonly mode: "read" | "write" }): string {
    if (schema["x-kubernetes-embedded-resource"] === true) {
      this.#usesKubeObject = true;
      return "KubeObject";
    }
    const { properties = {}, additionalProperties } = schema;
    if (Object.keys(properties).length > 0) return this.#interface(schema, { name, mode });
    if (typeof additionalProperties === "object")
      return `{ [key: string]: ${this.typeOf(additionalProperties, { name: `${name}Value`, mode })} }`;
    const isOpen = additionalProperties === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
    return isOpen ? "{ [key: string]: unknown }" : "Record<string, never>";
  }

  #interface(schema: Schema, { name, mode }: { readonly name: string; readonly mode: "read" | "write" }): string {
    const form = mode === "write" && hasDefaults(schema) ? "write" : "read";
    const written = this.#written.get(schema) ?? {};
    const known = written[form];
    if (known !== undefined) return known;
    const unique = this.#unique(form === "write" ? `${name}Input` : name);
    written[form] = unique;
    this.#written.set(schema, written);
    // An outer interface is declared before those of its fields, which are written now.
    const place = this.#declarations.push(undefined) - 1;
    const fields = Object.entries(schema.properties ?? {}).map(([field, child]) => {
      const isPresent = isAlwaysPresent(schema, { field, mode });
      const type = this.typeOf(child, { name: `${name}${pascal(field)}`, mode });
      return `${docComment(describe(child), "  ")}  ${key(field)}${isPresent ? "" : "?"}: ${type};\n`;
    });
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
    const open = isOpen ? "  [field: string]: unknown;\n" : "";
    const comment = docComment(describe(schema));
    this.#declarations[place] = `${comment}export interface ${unique} {\n${fields.join("")}${open}}\n`;
    return unique;
  }

  #unique(name: string): string {
    let unique = name;
    for (let number = 2; this.#names.has(unique); number++) unique = `${name}${number}`;
    this.#names.add(unique);
    return unique;
  }
}

/** Reports whether a schema or a field inside it has a default. */
export function hasDefaults(schema: Schema): boolean {
  const { properties = {}, items, additionalProperties } = schema;
  const children = [...Object.values(properties), items, additionalProperties];
  return children.some((child) => typeof child === "object" && (child.default !== undefined || hasDefaults(child)));
}

/** Reports whether values of an object always contain a field: it is required and, in values to write, has no default. */
function isAlwaysPresent(
  schema: Schema,
  { field, mode }: { readonly field: string; readonly mode: "read" | "write" },
): boolean {
  const hasDefault = schema.properties?.[field]?.default !== undefined;
  if (hasDefault) return mode === "read";
  return schema.required?.includes(field) === true;
}

function describe(schema: Schema): { text: string; deprecated: string | undefined } {
  const described = shorten(schema.description);
  if (schema.default === undefined) return described;
  const text = JSON.stringify(schema.default);
  return text.length > 60 ? described : { ...described, text: `${described.text} Default: \`${text}\`.`.trim() };
}

/** Returns the literal type of a scalar value; `unknown` for an object or a list. */
function literal(value: Json): string {
  return typeof value === "object" && value !== null ? "unknown" : JSON.stringify(value);
}

/** Returns a field name as a part of a type name: `secretRef` as `SecretRef`, `x-kind` as `XKind`. */
function pascal(field: string): string {
  const words = field.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("") || "Field";
}
