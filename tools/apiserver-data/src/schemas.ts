import { entriesOf, field, listField, textField } from "./server.ts";

type Node = Record<string, unknown>;

/** Reads the definitions from the documents of all groups, without descriptions, by name. */
export function readSchemas(documents: Iterable<unknown>): Map<string, Node> {
  const raw = new Map<string, unknown>();
  for (const document of documents) {
    for (const [name, schema] of entriesOf(field(field(document, "components"), "schemas"))) raw.set(name, schema);
  }
  const keys = keyFields(raw);
  const schemas = new Map<string, Node>();
  for (const name of [...raw.keys()].toSorted()) {
    schemas.set(name, specialOf(name) ?? compact(raw.get(name), (property) => keys.has(`${name} ${property}`)));
  }
  return schemas;
}

/** Schemas of types that OpenAPI does not describe completely, by the end of their names. */
const special: Readonly<Record<string, Node>> = {
  "api.resource.Quantity": { "x-kubernetes-int-or-string": true, format: "quantity" },
  "util.intstr.IntOrString": { "x-kubernetes-int-or-string": true },
  "runtime.RawExtension": { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  "meta.v1.FieldsV1": { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  "meta.v1.MicroTime": { type: "string", format: "micro-time" },
  "apiextensions.v1.JSON": { "x-kubernetes-preserve-unknown-fields": true },
  "apiextensions.v1.JSONSchemaPropsOrArray": { "x-kubernetes-preserve-unknown-fields": true },
  "apiextensions.v1.JSONSchemaPropsOrBool": { "x-kubernetes-preserve-unknown-fields": true },
  "apiextensions.v1.JSONSchemaPropsOrStringArray": { "x-kubernetes-preserve-unknown-fields": true },
};

function specialOf(name: string): Node | undefined {
  return Object.entries(special).find(([end]) => name.endsWith(`.${end}`))?.[1];
}

/** Returns the key fields of list entries, as `definition field`: only the defaults of these fields matter. */
function keyFields(raw: ReadonlyMap<string, unknown>): Set<string> {
  const keys = new Set<string>();
  for (const schema of raw.values()) {
    for (const [, property] of entriesOf(field(schema, "properties"))) {
      const target = refOf(field(property, "items"));
      for (const key of listField(property, "x-kubernetes-list-map-keys")) keys.add(`${target} ${String(key)}`);
    }
  }
  return keys;
}

function refOf(schema: unknown): string | undefined {
  const direct = textField(schema, "$ref") || textField(listField(schema, "allOf")[0], "$ref");
  return direct === "" ? undefined : direct.slice(direct.lastIndexOf("/") + 1);
}

const kept: readonly string[] = [
  "type",
  "format",
  "required",
  "enum",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-group-version-kind",
];

function compact(schema: unknown, isKey: (property: string) => boolean = () => false): Node {
  const node: Node = {};
  const ref = refOf(schema);
  if (ref !== undefined) node["$ref"] = ref;
  for (const name of kept) {
    const value = field(schema, name);
    if (value !== undefined) node[name] = value;
  }
  const properties = entriesOf(field(schema, "properties"));
  if (properties.length > 0) {
    node["properties"] = Object.fromEntries(
      properties.map(([name, property]) => {
        const made = compact(property);
        const standard = field(property, "default");
        return [name, isKey(name) && standard !== undefined ? { ...made, default: standard } : made];
      }),
    );
  }
  const items = field(schema, "items");
  if (items !== undefined) node["items"] = compact(items);
  const rest = field(schema, "additionalProperties");
  if (rest !== undefined) node["additionalProperties"] = compact(rest);
  return node;
}

/** Returns the module of a definition: `core` for `io.k8s.api.core.v1.Pod`, `meta` for types shared by all groups. */
export function moduleOf(name: string): string {
  const parts = name.split(".");
  if (name.startsWith("io.k8s.api.")) return parts[3] ?? "";
  return ["apiextensions", "apiregistration"].find((part) => parts.includes(part)) ?? "meta";
}
