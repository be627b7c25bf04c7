/** Reason for which the proxy itself ended a request or refused a connection. Values of a metric label. */
export type ProxyErrorReason =
  | "bad_request"
  | "head_too_large"
  | "too_many_connections"
  | "tls_handshake"
  | "overflow"
  | "connect"
  | "timeout"
  | "upstream_broken"
  | "upstream_invalid"
  | "client_gone"
  | "hold_overflow"
  | "unavailable"
  | "unknown_host"
  | "unauthorized"
  | "loop"
  | "protocol";
