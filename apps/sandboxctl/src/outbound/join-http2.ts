// HTTP/2 of a local client, such as gRPC, with the routing key in each request.

import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";

/** Options of {@link joinHttp2}. */
export interface JoinOptions {
  readonly routingKey: string;
  /** Called with errors of either connection, such as bytes that are not HTTP/2. */
  readonly onError: (error: Error) => void;
}

/** Joins the connection of a client that speaks HTTP/2 without TLS with one to a Service. Trailers, resets and the end of either connection are passed on. */
export function joinHttp2(socket: Socket, upstream: Socket, { routingKey, onError }: JoinOptions): void {
  const client = connect("http://service", { createConnection: () => upstream });
  const server = performServerHandshake(socket);
  client.on("error", onError).on("close", () => server.close());
  // The Service accepts no further requests on this connection: the client must open another one.
  client.on("goaway", () => server.close());
  server.on("error", onError).on("close", () => client.close());
  server.on("stream", (stream, headers) => forward(stream, withKey(headers, routingKey), client));
}

/** Returns the headers of a request with the routing key. A request that has a key keeps it. */
function withKey(headers: IncomingHttpHeaders, routingKey: string): OutgoingHttpHeaders {
  if (headers["x-routing-key"] !== undefined || routingKey === "") return headers;
  const member = `routing-key=${routingKey}`;
  const { baggage } = headers;
  return {
    ...headers,
    baggage: baggage === undefined ? member : `${String(baggage)},${member}`,
    "x-routing-key": routingKey,
  };
}

function forward(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, client: ClientHttp2Session): void {
  // Errors of streams are passed on as resets.
  stream.on("error", () => undefined);
  if (client.closed || client.destroyed) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
  const request = client.request(headers, { endStream: false });
  let trailers: IncomingHttpHeaders = {};
  request.on("error", () => undefined);
  request.on("response", (response, flags) => {
    if (stream.destroyed) return;
    // A response of trailers only, such as an error of gRPC, has no body.
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) return stream.respond(response, { endStream: true });
    stream.respond(response, { waitForTrailers: true });
    request.pipe(stream);
  });
  request.on("trailers", (received) => (trailers = received));
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  request.on("close", () => {
    if (request.rstCode !== constants.NGHTTP2_NO_ERROR) stream.close(request.rstCode);
  });
  stream.on("close", () => {
    if (!request.closed)
      request.close(stream.rstCode === constants.NGHTTP2_NO_ERROR ? constants.NGHTTP2_CANCEL : stream.rstCode);
  });
  stream.pipe(request);
}
