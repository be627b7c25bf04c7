/** A read-only JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Maximum nesting depth of a value that no schema describes. */
export const valueDepthMax = 1_000;
