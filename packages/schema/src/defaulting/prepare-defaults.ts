import { compileMetaCoercer } from "../metadata/coerce.ts";
import { compilePruner } from "../pruning/prune.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { readJson } from "../value/read-json.ts";

/**
 * Returns the schema with pruned defaults and normalized metadata in them.
 *
 * `checkDefaults` rejects most defaults that need this, but like the API server it does not check those below
 * additionalProperties.
 */
export function prepareDefaults(node: SchemaNode): SchemaNode {
  const others = additionalSchema(node);
  const prepared: SchemaNode = {
    ...node,
    items: node.items && prepareDefaults(node.items),
    properties: new Map([...node.properties].map(([name, property]) => [name, prepareDefaults(property)])),
    additionalProperties: others === undefined ? node.additionalProperties : prepareDefaults(others),
  };
  if (node.default === undefined) return prepared;
  const isResource = { isResource: node.embeddedResource };
  const result = readJson(compileMetaCoercer(node, isResource)(compilePruner(node, isResource)(node.default)));
  return "json" in result ? { ...prepared, default: result.json } : prepared;
}
