import { isRecord } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { definitionTexts } from "./generated/schemas.ts";

/**
 * The schema of a built-in type: a `Schema` with the extensions for strategic merge patch.
 *
 * Types are shared between schemas, and `JSONSchemaProps` is recursive: traverse a schema along a value, never by itself.
 * Only keys of associative lists have defaults here; `applyKindDefaults` sets all others.
 */
export interface KindSchema extends Schema {
  readonly properties?: { readonly [name: string]: KindSchema };
  readonly items?: KindSchema;
  readonly additionalProperties?: KindSchema | boolean;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const lines = new Map<string, ReadonlyMap<string, string>>();
const resolved = new Map<string, KindSchema>();
const names = new WeakMap<object, string>();

/** Returns the schema of a built-in kind, such as `("apps", "v1", "Deployment")`, or undefined. */
export function kindSchema(group: string, version: string, kind: string): KindSchema | undefined {
  return definitionSchema(definitionName(group, version, kind));
}

/** Returns the definition name of a built-in kind: `io.k8s.api.apps.v1.Deployment`. */
export function definitionName(group: string, version: string, kind: string): string {
  if (group === "apiextensions.k8s.io") {
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  }
  if (group === "apiregistration.k8s.io") {
    return `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${kind}`;
  }
  const part = group === "" ? "core" : (group.split(".")[0] ?? group);
  return `io.k8s.api.${part}.${version}.${kind}`;
}

/** Returns the schema of a type by its definition name, such as `io.k8s.api.core.v1.Container`, or undefined. */
export function definitionSchema(name: string): KindSchema | undefined {
  const known = resolved.get(name);
  if (known !== undefined) return known;
  const text = linesOf(moduleOf(name)).get(name);
  if (text === undefined) return undefined;
  // Registered before its properties are resolved, because a type may contain itself.
  const schema: Record<string, unknown> = {};
  const standIn: KindSchema = schema;
  resolved.set(name, standIn);
  names.set(standIn, name);
  const raw: unknown = JSON.parse(text);
  if (isRecord(raw)) Object.assign(schema, resolve(raw));
  return standIn;
}

function resolve(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $ref, properties, items, additionalProperties, "x-kubernetes-group-version-kind": _, ...own } = raw;
  const rest: Record<string, unknown> = own;
  if (isRecord(properties)) {
    rest["properties"] = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, target(each)]));
  }
  if (items !== undefined) rest["items"] = target(items);
  if (additionalProperties !== undefined) rest["additionalProperties"] = target(additionalProperties);
  if (typeof $ref !== "string") return rest;
  const made = { ...definitionSchema($ref), ...rest };
  names.set(made, $ref);
  return made;
}

/** Returns the definition name of a schema, such as `io.k8s.api.core.v1.Probe`; undefined for a schema inside of a definition. */
export function definitionNameOf(schema: KindSchema): string | undefined {
  return names.get(schema);
}

function target(raw: unknown): unknown {
  if (!isRecord(raw)) return {};
  const { $ref, ...rest } = raw;
  // A reference without other keywords is the shared schema of the type.
  if (typeof $ref === "string" && Object.keys(rest).length === 0) return definitionSchema($ref) ?? {};
  return resolve(raw);
}

function linesOf(module: string): ReadonlyMap<string, string> {
  const known = lines.get(module);
  if (known !== undefined) return known;
  const made = new Map<string, string>();
  for (const line of (definitionTexts.get(module) ?? "").split("\n")) {
    const space = line.indexOf(" ");
    if (space > 0) made.set(line.slice(0, space), line.slice(space + 1));
  }
  lines.set(module, made);
  return made;
}

function moduleOf(name: string): string {
  if (name.startsWith("io.k8s.api.")) return name.split(".")[3] ?? "";
  return ["apiextensions", "apiregistration"].find((part) => name.includes(`.${part}.`)) ?? "meta";
}
