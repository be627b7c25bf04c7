/** How many levels of nesting a schema may have. The deepest of the schemas in common use have about thirty. */
export const schemaDepthMax = 128;

/** How many nodes a schema may have. */
export const schemaNodesMax = 100_000;

/** How many levels of nesting a value may have where no schema says what it looks like. */
export const valueDepthMax = 1_000;
