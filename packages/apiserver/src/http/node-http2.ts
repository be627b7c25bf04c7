import type * as NodeHttp2 from "node:http2";

/** Node's HTTP/2, loaded when the first client speaks it: an `import` of it would be waited for by everybody. */
export function http2Module(): typeof NodeHttp2 {
  return process.getBuiltinModule("node:http2");
}
