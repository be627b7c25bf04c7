/** Maximum nesting depth of a schema. The deepest schemas in common use have about 30 levels. */
export const schemaDepthMax = 128;

/** Maximum number of nodes of a schema. */
export const schemaNodesMax = 100_000;
