// OpenAPI documents of custom resources. They are built from a recorded document of kube-apiserver with one namespaced and one
// cluster-scoped custom resource (`pattern/resource`), by replacing its names: paths, operations and descriptions are then the same.

import { isRecord, safeSet } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { documentText } from "./documents.ts";

/** A custom resource in one version, with the schema of its CustomResourceDefinition. */
export interface CustomSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly schema: Schema;
  /** Paths in `selectableFields`: `.spec.color`. */
  readonly selectableFields?: readonly string[];
}

/** Builds the OpenAPI v3 document of `resources`, which share a group and a version. */
export function customDocument(resources: readonly CustomSchema[]): unknown {
  const paths: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = {};
  let head: Record<string, unknown> = {};
  for (const resource of resources) {
    const pattern = patternFor(resource);
    head = pattern;
    for (const [path, operations] of entriesAt(pattern, "paths")) {
      if (belongs(path, resource)) safeSet(paths, path, operations);
    }
    for (const [name, schema] of entriesAt(pattern["components"], "schemas")) {
      if (name.startsWith("io.k8s.api.autoscaling.") && !resource.hasScale) continue;
      if (isOther(name, resource)) continue;
      if (name === definitionOf(resource)) safeSet(schemas, name, rootSchema(resource, schema));
      else if (name === definitionOf({ ...resource, kind: resource.listKind }) && isRecord(schema)) {
        safeSet(schemas, name, { ...schema, ...selectable(resource) });
      } else safeSet(schemas, name, schema);
    }
  }
  return { ...head, paths: sorted(paths), components: { schemas: sorted(schemas) } };
}

/** Returns the name of a custom kind in `components.schemas`: `com.example.v1.Widget`. */
function definitionOf({ group, version, kind }: CustomSchema): string {
  return `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
}

function patternFor(resource: CustomSchema): Record<string, unknown> {
  const { group, version, kind, listKind, plural, scope } = resource;
  const thing = `${scope}Thing`;
  const camel = camelGroup(group);
  const pascal = capital(camel);
  const article = articleFor(kind);
  const swaps: readonly (readonly [string, string])[] = [
    [`${thing}List`, listKind],
    [` a ${thing}"`, `${article}${kind}"`],
    [thing, kind],
    [`${thing.toLowerCase()}s`, plural],
    ["com.example.pattern.v7alpha7", `${group.split(".").toReversed().join(".")}.${version}`],
    ["pattern.example.com", group],
    ["patternExampleCom", camel],
    ["PatternExampleCom", pascal],
    ["V7alpha7", capital(version)],
    ["v7alpha7", version],
  ];
  const text = documentText("pattern/resource")?.toString("utf8") ?? "{}";
  const made: unknown = JSON.parse(swaps.reduce((whole, [from, to]) => whole.replaceAll(from, () => to), text));
  return isRecord(made) ? { ...made } : {};
}

/** Reports whether a path of the recorded document exists for this resource. */
function belongs(path: string, { group, version, plural, hasStatus, hasScale, scope }: CustomSchema): boolean {
  const rest = path.slice(`/apis/${group}/${version}/`.length).split("/");
  const at = rest[0] === "namespaces" && scope === "Namespaced" && rest.length > 2 ? 2 : 0;
  if (rest[at] !== plural) return false;
  const part = rest[at + 2];
  return part === undefined || (part === "status" ? hasStatus : hasScale);
}

/** Reports whether a definition belongs to the recorded resource of the other scope. */
function isOther(name: string, { scope }: CustomSchema): boolean {
  const other = scope === "Cluster" ? "NamespacedThing" : "ClusterThing";
  return name.endsWith(`.${other}`) || name.endsWith(`.${other}List`);
}

function rootSchema(resource: CustomSchema, pattern: unknown): Record<string, unknown> {
  const { group, version, kind, schema } = resource;
  const published = publish(schema);
  const properties = Object.fromEntries(entriesAt(published, "properties"));
  const standard = Object.fromEntries(entriesAt(pattern, "properties"));
  return {
    ...published,
    properties: sorted({ ...properties, ...standard }),
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...selectable(resource),
  };
}

function selectable({ selectableFields = [] }: CustomSchema): Record<string, unknown> {
  if (selectableFields.length === 0) return {};
  return { "x-kubernetes-selectable-fields": selectableFields.map((path) => ({ fieldPath: path.slice(1) })) };
}

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** Properties of every embedded resource. */
const embedded = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: "string",
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: "string",
  },
  metadata: {
    description: `Standard object's metadata. More info: ${conventions}#metadata`,
    allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
  },
};

/** Returns a schema as kube-apiserver publishes it: `x-kubernetes-*` extensions are also expressed in standard OpenAPI. */
function publish(schema: Schema): Record<string, unknown> {
  const { properties, items, additionalProperties, required, ...rest } = schema;
  const isObject = schema["x-kubernetes-embedded-resource"] === true;
  const all = {
    ...Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, publish(each)])),
    ...(isObject ? embedded : {}),
  };
  const needed = [...(required ?? []), ...(isObject ? ["kind", "apiVersion"] : [])];
  return {
    ...rest,
    ...(properties === undefined && !isObject ? {} : { properties: all }),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(items === undefined ? {} : { items: publish(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "boolean" ? additionalProperties : publish(additionalProperties),
        }),
    ...(schema["x-kubernetes-int-or-string"] === true && schema.anyOf === undefined
      ? { anyOf: [{ type: "integer" }, { type: "string" }] }
      : {}),
  };
}

function entriesAt(value: unknown, name: string): [string, unknown][] {
  const found = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isRecord(found) ? Object.entries(found) : [];
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns a group in camel case, for operation IDs: `apps.example.com` becomes `appsExampleCom`. */
function camelGroup(group: string): string {
  const [first = "", ...rest] = group.replace(/\.k8s\.io$/, "").split(/[.-]/);
  return [first, ...rest.map(capital)].join("");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function articleFor(kind: string): string {
  if (kind.endsWith("s") && !kind.endsWith("ss")) return " ";
  return /^[aeiou]/i.test(kind) ? " an " : " a ";
}
