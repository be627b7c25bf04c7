import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import type { KafkaRequest } from "./messages.ts";
import { WireReader, WireWriter } from "./wire.ts";

/** Host and port of a Kafka listener. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Certificates of TLS connections, as PEM. */
export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Options of {@link sendRequest}. */
export interface SendOptions {
  /** Time limit, from the connection to the end of the response. */
  readonly timeoutMs: number;
  readonly tls?: TlsFiles | undefined;
}

/** An error of a request: no connection, no response in time, or a response that cannot be read. */
export class KafkaRequestError extends Error {}

const responseBytesMax = 16 * 1024 * 1024;
const correlationId = 1;

/**
 * Sends one request on a connection of its own.
 *
 * The official tools wait for a minute on an address that no longer exists. A restart of a pod leaves such an address in every client, so
 * the whole exchange has one short time limit here.
 */
export async function sendRequest<Response>(
  { host, port }: Address,
  { apiKey, version, body, read }: KafkaRequest<Response>,
  { timeoutMs, tls }: SendOptions,
): Promise<Response> {
  const header = new WireWriter()
    .int16(apiKey)
    .int16(version)
    .int32(correlationId)
    .shortString("adapter")
    .end()
    .bytes();
  const size = new WireWriter().int32(header.length + body.length).bytes();
  const socket = tls === undefined ? connect({ host, port }) : connectTls({ host, port, servername: host, ...tls });
  const timeout = AbortSignal.timeout(timeoutMs);
  const fail = (): void => {
    socket.destroy(new KafkaRequestError(`${host}:${port} did not respond within ${timeoutMs} ms`));
  };
  timeout.addEventListener("abort", fail, { once: true });
  try {
    socket.write(Buffer.concat([size, header, body]));
    const reader = new WireReader(await readResponse(socket));
    if (reader.int32() !== correlationId) throw new RangeError("the response is for another request");
    reader.end();
    return read(reader);
  } catch (error) {
    if (error instanceof KafkaRequestError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new KafkaRequestError(`${host}:${port}: ${reason}`, { cause: error });
  } finally {
    timeout.removeEventListener("abort", fail);
    socket.destroy();
  }
}

/** Returns the first response: four bytes with its length, and the response. */
async function readResponse(socket: AsyncIterable<unknown>): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    if (!Buffer.isBuffer(chunk)) continue;
    received = Buffer.concat([received, chunk]);
    if (received.length < 4) continue;
    const size = received.readInt32BE(0);
    if (size < 0 || size > responseBytesMax) throw new RangeError(`a response of ${size} bytes is too large`);
    if (received.length >= size + 4) return received.subarray(4, size + 4);
  }
  throw new RangeError("the connection was closed without a response");
}
