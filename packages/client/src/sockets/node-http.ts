import type * as NodeHttp from "node:http";

/**
 * Node's HTTP module, loaded without evaluating its lazy exports.
 *
 * Since Node 22 the module has a lazy export `WebSocket`. An `import` evaluates all exports, which loads undici, a second HTTP
 * client that takes 12 MB of memory and is not used here.
 */
export const http: typeof NodeHttp = process.getBuiltinModule("node:http");
