import type * as NodeHttp from "node:http";

/**
 * Node's HTTP module, without the rest that an `import` of it loads.
 *
 * Since Node 22 it has WebSocket among its exports, made when somebody asks for it; `import` asks for everything, and so
 * loads a whole second HTTP client: 12 MB that nobody uses.
 */
export const http: typeof NodeHttp = process.getBuiltinModule("node:http");
