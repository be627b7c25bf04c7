/** Maximum nesting depth of a schema. The deepest schemas in common use have about 30 levels. */
export const schemaDepthMax = 128;

/** Maximum number of nodes of a schema. */
export const schemaNodesMax = 100_000;

/** Maximum nesting depth of a value that no schema describes. */
export const valueDepthMax = 1_000;
