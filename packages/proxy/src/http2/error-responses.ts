import type { ProxyErrorReason } from "../observe/observer.ts";

type Fields = readonly (readonly [name: string, value: string])[];

/** Response of the proxy to an error. */
export interface ProxyError {
  readonly reason: ProxyErrorReason;
  readonly status: number;
  /** Codes of gRPC: 4 deadline exceeded, 8 resource exhausted, 12 unimplemented, 13 internal, 14 unavailable. */
  readonly grpcStatus: number;
  readonly body: string;
}

/** Cause of a response of the proxy itself. */
export type ProxyErrorCause =
  | "connect"
  | "upstream_broken"
  | "upstream_invalid"
  | "timeout"
  | "overflow"
  | "hold_overflow"
  | "unavailable"
  | "protocol"
  | "no-extended-connect"
  | "upgrade-to-http2"
  | "connect_method"
  | "head_too_large";

/** Responses of the proxy to its own errors. */
export const proxyErrors: Readonly<Record<ProxyErrorCause, ProxyError>> = {
  connect: { reason: "connect", status: 502, grpcStatus: 14, body: "The upstream refused the connection.\n" },
  upstream_broken: {
    reason: "upstream_broken",
    status: 502,
    grpcStatus: 14,
    body: "The connection to the upstream broke.\n",
  },
  upstream_invalid: {
    reason: "upstream_invalid",
    status: 502,
    grpcStatus: 13,
    body: "The response of the upstream is invalid.\n",
  },
  timeout: { reason: "timeout", status: 504, grpcStatus: 4, body: "The upstream did not respond in time.\n" },
  overflow: { reason: "overflow", status: 503, grpcStatus: 14, body: "Too many requests wait for the upstream.\n" },
  hold_overflow: { reason: "hold_overflow", status: 503, grpcStatus: 14, body: "Too many bytes wait for a target.\n" },
  unavailable: { reason: "unavailable", status: 503, grpcStatus: 14, body: "The upstream is unavailable.\n" },
  protocol: {
    reason: "protocol",
    status: 502,
    grpcStatus: 13,
    body: "The upstream does not speak the protocol of the request.\n",
  },
  "no-extended-connect": {
    reason: "protocol",
    status: 501,
    grpcStatus: 12,
    body: "The upstream does not support extended CONNECT.\n",
  },
  "upgrade-to-http2": {
    reason: "protocol",
    status: 501,
    grpcStatus: 12,
    body: "The upstream speaks HTTP/2 only. Open the WebSocket by extended CONNECT on an HTTP/2 connection.\n",
  },
  connect_method: { reason: "bad_request", status: 501, grpcStatus: 12, body: "CONNECT is not supported.\n" },
  head_too_large: { reason: "head_too_large", status: 431, grpcStatus: 8, body: "The request head is too large.\n" },
};

/** Returns the fields of a response with plain text. */
export function plainErrorFields(status: number, body: string, headers: Fields): Fields {
  const own: Fields = [
    [":status", String(status)],
    ["content-type", "text/plain; charset=utf-8"],
    ["content-length", String(body.length)],
  ];
  const names = new Set(headers.map(([name]) => name));
  return [...own.filter(([name]) => !names.has(name)), ...headers.filter(([name]) => name !== "content-length")];
}

/** Returns the fields of a gRPC response that consists of trailers only. Clients report its status and message to the caller. */
export function grpcErrorFields(grpcStatus: number, body: string, headers: Fields): Fields {
  return [
    [":status", "200"],
    ["content-type", "application/grpc"],
    ...grpcErrorTrailers(grpcStatus, body),
    ...headers.filter(([name]) => name !== "content-type" && name !== "content-length"),
  ];
}

/** Returns the trailers of a gRPC response that ends with an error. */
export function grpcErrorTrailers(grpcStatus: number, body: string): Fields {
  return [
    ["grpc-status", String(grpcStatus)],
    ["grpc-message", grpcMessage(body.trimEnd())],
  ];
}

/** Encodes a message as gRPC does: percent signs and everything but printable ASCII become percent-encoded bytes. */
function grpcMessage(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text, "utf8"))
    encoded +=
      byte < 0x20 || byte > 0x7e || byte === 0x25
        ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
        : String.fromCharCode(byte);
  return encoded;
}
