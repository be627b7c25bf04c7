import type { IncomingMessage } from "node:http";
import { parseBoundedJson } from "@homeostat/core";
import { RequestError } from "../errors.ts";

const bodyBytesMax = 64 * 1024;

/** Reads the JSON body of a request. Throws a {@link RequestError} if it is too large or not JSON. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new RequestError(413, `The body is longer than ${bodyBytesMax} bytes.`);
    chunks.push(chunk);
  }
  try {
    return parseBoundedJson(Buffer.concat(chunks), {
      what: "body",
      bytesMax: bodyBytesMax,
      depthMax: 10,
      valuesMax: 1_000,
    });
  } catch {
    throw new RequestError(400, "The body is not JSON.");
  }
}
