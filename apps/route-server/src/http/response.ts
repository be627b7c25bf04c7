// Responses and request bodies of both servers.

import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { IncomingMessage, ServerResponse } from "node:http";
import { JsonLimitError, ParseError, parseBoundedJson } from "@homeostat/core";

/** A response in JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Returns a response that lists all problems of a request. */
export function refusal(status: number, ...problems: readonly string[]): JsonResponse {
  return { status, body: { error: problems.join("; "), problems } };
}

/** Sends a response. Routes can change at any time, so the response must not be cached. */
export function sendJson(response: ServerResponse | Http2ServerResponse, { status, body }: JsonResponse): void {
  if (response.destroyed) return;
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  response.end(`${JSON.stringify(body)}\n`);
}

const bodyBytesMax = 256 * 1024;
/** Bytes of a body after which its stream is closed without a response. */
const discardBytesMax = 4 * 1024 * 1024;

/** Reads a body as JSON, within limits; a response if that fails. */
export async function readJson(
  request: IncomingMessage | Http2ServerRequest,
): Promise<{ readonly value: unknown } | { readonly refused: JsonResponse }> {
  const body = await readBody(request);
  if (body === undefined) return { refused: refusal(400, "the body was cut off") };
  const { chunks, bytes } = body;
  if (bytes > bodyBytesMax) return { refused: refusal(413, `the body must have at most ${bodyBytesMax} bytes`) };
  try {
    const limits = { bytesMax: bodyBytesMax, depthMax: 10, valuesMax: 10_000 };
    return { value: parseBoundedJson(Buffer.concat(chunks), { what: "body of the request", ...limits }) };
  } catch (error) {
    if (!(error instanceof JsonLimitError || error instanceof ParseError)) throw error;
    return { refused: refusal(400, error.message) };
  }
}

/** Reads the chunks of a body up to the limit, and counts the bytes of the rest; undefined if the connection ended before. */
function readBody(
  request: IncomingMessage | Http2ServerRequest,
): Promise<{ readonly chunks: readonly Buffer[]; readonly bytes: number } | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Uses listeners instead of an async iterator: confirmations are the most frequent requests, and the iterator took a tenth of
  // their CPU time.
  return new Promise((resolve) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else if (bytes > discardBytesMax) {
        request.destroy();
        resolve({ chunks, bytes });
      }
    });
    request.once("end", () => resolve({ chunks, bytes }));
    for (const event of ["error", "aborted", "close"]) request.once(event, () => resolve(undefined));
  });
}
