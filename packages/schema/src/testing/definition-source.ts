// Comparison of a CRD with that of the definition that was written from it.

import { isRecord } from "@homeostat/core";
import { completeDefaults } from "../resource/complete-defaults.ts";
import type { ForeignCrd, ForeignVersion } from "../source/read-crd.ts";
import type { Schema } from "../structural/schema.ts";

/** Runs the source of a definition without its types. Returns the manifest of its CRD. */
export async function evaluateDefinition(source: string, { names }: ForeignCrd): Promise<unknown> {
  const index = new URL("../index.js", import.meta.url).href;
  const code = source
    .slice(0, source.indexOf("\n});\n") + "\n});\n".length)
    .replace(/s\.embedded<.*?>\(\{ name:/g, "s.embedded({ name:")
    .replace(", type KubeObject", "")
    .replace('"homeostat"', JSON.stringify(index))
    .concat(`\nimport { toCrd } from ${JSON.stringify(index)};`)
    .concat(`\nexport const crd = toCrd(${names.kind}, { conversionWebhook: { url: "https://127.0.0.1/convert" } });`);
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const crd = isRecord(module) ? module["crd"] : undefined;
  return JSON.parse(JSON.stringify(crd));
}

/** Returns a version with the differences removed that make none to an API server. */
export function normalVersion(version: ForeignVersion): unknown {
  const { spec, status, ...properties } = version.schema.properties ?? {};
  const schema = { ...version.schema, properties: { ...properties, ...described({ spec, status }) } };
  return { ...version, schema: normalSchema(completeDefaults(schema)) };
}

function described(parts: Readonly<Record<string, Schema | undefined>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [[name, { ...part, description: "" }]])),
  );
}

function normalSchema(schema: Schema): Schema {
  const { properties, items, additionalProperties, required, ...rest } = schema;
  const present = (required ?? []).filter((name) => properties?.[name]?.default === undefined);
  return {
    ...rest,
    ...(schema.type === "array" && { "x-kubernetes-list-type": schema["x-kubernetes-list-type"] ?? "atomic" }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, normalSchema(child)])),
    }),
    ...(present.length > 0 && { required: [...present].sort() }),
    ...(items !== undefined && { items: normalSchema(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object" ? normalSchema(additionalProperties) : additionalProperties,
    }),
  };
}
