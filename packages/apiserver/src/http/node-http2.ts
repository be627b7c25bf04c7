import type * as NodeHttp2 from "node:http2";

/**
 * Returns Node's HTTP/2 module, loaded when the first client uses the protocol. An `import` would slow down every
 * start.
 */
export function http2Module(): typeof NodeHttp2 {
  return process.getBuiltinModule("node:http2");
}
