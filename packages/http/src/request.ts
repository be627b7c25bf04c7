import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import type { SecureContextOptions } from "node:tls";
import { NetworkError } from "@homeostat/core";
import { awaitResponse } from "./await-response.ts";
import { HttpResponseError } from "./errors.ts";
import { http, https } from "./node-http.ts";

/** TLS options of a request. */
export interface HttpTls extends Pick<
  SecureContextOptions,
  "ca" | "cert" | "key" | "minVersion" | "allowPartialTrustChain"
> {
  /** Name that the certificate must have, if it is not the host. */
  readonly servername?: string | undefined;
  /** False accepts any certificate. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** One outgoing request. */
export interface HttpRequest {
  readonly method: string;
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** TLS options. Without them the request uses plain HTTP. */
  readonly tls?: HttpTls | undefined;
  /** Agent that keeps connections. Default: one connection per request. */
  readonly agent?: Agent | undefined;
  /**
   * Aborts the request at any stage, until the end of the body. There is no other time limit, so it must include the
   * deadline of the caller: `AbortSignal.any([signal, timeout.signal])`.
   */
  readonly signal: AbortSignal;
}

/** A response with its whole body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All values of each header, for headers that may occur several times. */
  readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Sends a request and resolves with the response headers, whatever the status. The caller reads the body.
 *
 * Rejects with the reason of the signal when it aborts, and with a {@link NetworkError} when there is no response; its
 * cause is the error of the socket or an {@link HttpResponseError}. After the response, an abort destroys the message.
 */
export async function openHttp(request: HttpRequest): Promise<IncomingMessage> {
  const { signal } = request;
  signal.throwIfAborted();
  const sending = begin(request);
  return new Promise((resolve, reject) => {
    let received: IncomingMessage | undefined;
    const stop = (): void => {
      // Reject here: a request that waits for a connection of its agent emits nothing when it is destroyed.
      reject(signal.reason);
      received?.destroy();
      sending.destroy();
    };
    signal.addEventListener("abort", stop, { once: true });
    awaitResponse(sending, {
      response: (message) => {
        received = message;
        message.once("close", () => signal.removeEventListener("abort", stop));
        // Without a listener, an error after the caller has left would end the process.
        message.on("error", () => undefined);
        resolve(message);
      },
      failure: (cause) => {
        signal.removeEventListener("abort", stop);
        reject(failureOf(request, cause));
      },
    });
    sending.end(request.body);
  });
}

/**
 * Sends a request and resolves with the complete response, whatever the status.
 *
 * Rejects as {@link openHttp} does, also if the body exceeds `bodyBytesMax` or ends early. The connection is closed
 * then.
 *
 * @example
 * using timeout = clock.timeout(3_000);
 * const { status, body } = await sendHttp({ method: "GET", host, port, path: "/", signal: timeout.signal, bodyBytesMax: 65_536 });
 */
export async function sendHttp(request: HttpRequest & { readonly bodyBytesMax: number }): Promise<HttpResponse> {
  const message = await openHttp(request);
  const body = await readBody(message, request);
  const { statusCode: status = 0, headers, headersDistinct } = message;
  return { status, headers, headersDistinct, body };
}

async function readBody(
  message: IncomingMessage,
  request: HttpRequest & { readonly bodyBytesMax: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of message) {
      if (!Buffer.isBuffer(chunk)) continue;
      bytes += chunk.length;
      if (bytes > request.bodyBytesMax) throw new HttpResponseError("size");
      chunks.push(chunk);
    }
  } catch (cause) {
    // Leaving the loop has destroyed the message and its connection.
    request.signal.throwIfAborted();
    throw failureOf(request, cause);
  }
  request.signal.throwIfAborted();
  if (!message.complete) throw failureOf(request, new HttpResponseError("closed"));
  return Buffer.concat(chunks);
}

function begin(request: HttpRequest): ClientRequest {
  const { method, host, port, path, headers = {}, tls, agent = false } = request;
  const options: RequestOptions = {
    method,
    host,
    port,
    path,
    agent,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, writable(value)])),
  };
  try {
    return tls === undefined ? http.request(options) : https().request({ ...options, ...tls });
  } catch (cause) {
    // A path, a header or a certificate that Node refuses.
    throw failureOf(request, cause, false);
  }
}

function writable(value: string | readonly string[]): string | string[] {
  return typeof value === "string" ? value : [...value];
}

function failureOf({ method, path }: HttpRequest, cause: unknown, requestSent?: boolean): NetworkError {
  const [withoutQuery = ""] = path.split("?");
  return new NetworkError({ request: { method, path: withoutQuery }, requestSent }, { cause });
}
