import type * as NodeHttp from "node:http";
import type * as NodeHttps from "node:https";

/**
 * Node's HTTP module.
 *
 * Loaded by name: since Node 22, `import` of node:http also loads undici, 12 MB that are not needed here.
 */
export const http: typeof NodeHttp = process.getBuiltinModule("node:http");

/** Returns Node's HTTPS module, loaded on first use. */
export function https(): typeof NodeHttps {
  return process.getBuiltinModule("node:https");
}
