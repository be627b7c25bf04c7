import { additionalSchema, type SchemaNode } from "../structural/node.ts";

const keywords: readonly (readonly [keyword: string, name: string])[] = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"],
];

/**
 * Returns the error of the first keyword that prevents conversion to a structural schema; undefined if there is none. Usually
 * `checkNode` reports the same keyword with its path.
 */
export function findUnsupported(node: SchemaNode): string | undefined {
  const found = keywords.find(([keyword]) => node.keywords.has(keyword));
  if (found !== undefined) return `OpenAPIV3Schema '${found[1]}' is not supported`;
  if (node.itemsList.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (node.preserveUnknownFields === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  const children = [
    node.not,
    ...node.allOf,
    ...node.anyOf,
    ...node.oneOf,
    node.items,
    ...node.properties.values(),
    additionalSchema(node),
  ];
  for (const child of children) {
    const problem = child && findUnsupported(child);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
