// A table of network errors: for every error code of Node's sockets, TLS, HTTP parsers and DNS, whether a retry can help and
// whether a write may have taken effect. It is longer than other files because it is one table.
//
// "not-applied" is used only if the request cannot have been sent, because the error occurs before the connection is established.
// A caller that knows that no byte was sent overrides the table with NetworkError.requestSent.

import { type FailureRow, failureTable, type WrittenRow } from "./failure-row.ts";

const again = "Retry the request.";
const look = "If this was a write, check the live object before retrying.";
const address = "Check the server's address, and that the server is running.";
const trust = "Check the server's certificate and the configured CA.";
const resources = "Retry; if it persists, raise the resource limits of the process.";
const speak = "Check that the address is that of an API server, and check proxies in front of it.";
const correct = "Correct the request.";

const sockets = failureTable<string>(() => [
  // Connecting: the request was not sent.
  ["ECONNREFUSED", "transient", "not-applied", "the connection was refused", address],
  ["EHOSTUNREACH", "transient", "not-applied", "the host is unreachable", address],
  ["EHOSTDOWN", "transient", "not-applied", "the host is down", address],
  ["ENETUNREACH", "transient", "not-applied", "the network is unreachable", address],
  ["ENETDOWN", "transient", "not-applied", "the network is down", again],
  ["EADDRNOTAVAIL", "transient", "not-applied", "no local address or port is free", again],
  ["ERR_SOCKET_CONNECTION_TIMEOUT", "transient", "not-applied", "connecting timed out", address],
  ["UND_ERR_CONNECT_TIMEOUT", "transient", "not-applied", "connecting timed out", address],
  [
    "EACCES",
    "unknown",
    "not-applied",
    "the system does not allow the connection",
    "Check firewalls, network policies and file permissions.",
  ],
  [
    "EPERM",
    "unknown",
    "not-applied",
    "the system does not allow the connection",
    "Check firewalls and network policies.",
  ],
  ["EAFNOSUPPORT", "unknown", "not-applied", "the address family is not supported", address],
  ["EPROTONOSUPPORT", "unknown", "not-applied", "the protocol is not supported", address],
  ["EMFILE", "transient", "not-applied", "the process has too many open files", resources],
  ["ENFILE", "transient", "not-applied", "the system has too many open files", resources],
  ["ENOBUFS", "transient", "unknown", "the system has no memory for sockets", resources],
  ["ENOMEM", "transient", "unknown", "the system has no memory", resources],
  // DNS.
  ["EAI_AGAIN", "transient", "not-applied", "the DNS server did not respond", again],
  ["EAI_FAIL", "transient", "not-applied", "the DNS server failed", again],
  ["EAI_MEMORY", "transient", "not-applied", "there was no memory for the DNS lookup", resources],
  ["EAI_NODATA", "transient", "not-applied", "the host name has no address", address],
  ["EAI_NONAME", "transient", "not-applied", "the host name does not exist", address],
  ["EAI_SYSTEM", "transient", "not-applied", "the DNS lookup failed", again],
  ["ENOTFOUND", "transient", "not-applied", "the host name does not exist", address],
  ["ENODATA", "transient", "not-applied", "the host name has no address", address],
  ["ESERVFAIL", "transient", "not-applied", "the DNS server failed", again],
  ["EREFUSED", "transient", "not-applied", "the DNS server refused the query", again],
  ["ETIMEOUT", "transient", "not-applied", "the DNS server did not respond", again],
  ["EBADNAME", "terminal", "not-applied", "the host name is malformed", correct],
  ["EBADRESP", "transient", "not-applied", "the DNS server sent an invalid response", again],
  // A broken connection: whether the server received and processed the request is unknown.
  ["ECONNRESET", "transient", "unknown", "the connection was reset", look],
  ["ECONNABORTED", "transient", "unknown", "the connection was aborted", look],
  ["EPIPE", "transient", "unknown", "the server has closed the connection", look],
  ["ETIMEDOUT", "transient", "unknown", "the server did not respond in time", look],
  ["ESOCKETTIMEDOUT", "transient", "unknown", "the server did not respond in time", look],
  ["ENOTCONN", "transient", "unknown", "the socket is not connected", look],
  ["ENETRESET", "transient", "unknown", "the network reset the connection", look],
  ["ESHUTDOWN", "transient", "unknown", "the connection was closed", look],
  ["ECANCELED", "transient", "unknown", "the operation was canceled", look],
  ["EINTR", "transient", "unknown", "the operation was interrupted", look],
  ["EAGAIN", "transient", "unknown", "the resource is temporarily unavailable", look],
  ["EOF", "transient", "unknown", "the connection was closed too early", look],
  ["EIO", "unknown", "unknown", "the system reports an I/O error", look],
  ["ERR_STREAM_PREMATURE_CLOSE", "transient", "unknown", "the connection was closed too early", look],
  ["ERR_STREAM_DESTROYED", "transient", "unknown", "the connection was closed", look],
  ["ERR_STREAM_WRITE_AFTER_END", "transient", "unknown", "the connection was closed", look],
  ["ERR_SOCKET_CLOSED", "transient", "unknown", "the connection was closed", look],
  [
    "ERR_SOCKET_CLOSED_BEFORE_CONNECTION",
    "transient",
    "not-applied",
    "the connection was closed before it was established",
    again,
  ],
  ["ERR_HTTP_REQUEST_TIMEOUT", "transient", "unknown", "the request timed out", look],
  // Aborted by this process.
  ["ABORT_ERR", "transient", "unknown", "the request was aborted by this process", look],
  ["ERR_CANCELED", "transient", "unknown", "the request was aborted by this process", look],
  ["UND_ERR_ABORTED", "transient", "unknown", "the request was aborted by this process", look],
  // TLS: the server certificate is verified before the request is sent; other alerts may arrive after it.
  ["EPROTO", "unknown", "unknown", "TLS failed", trust],
  ["CERT_HAS_EXPIRED", "unknown", "not-applied", "the server's certificate has expired", trust],
  [
    "CERT_NOT_YET_VALID",
    "unknown",
    "not-applied",
    "the server's certificate is not valid yet",
    "Check the clocks of both machines.",
  ],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "unknown", "not-applied", "the server's certificate is self-signed", trust],
  ["SELF_SIGNED_CERT_IN_CHAIN", "unknown", "not-applied", "the server's CA is not trusted", trust],
  [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "unknown",
    "not-applied",
    "the server's certificate is from an unknown CA",
    trust,
  ],
  ["UNABLE_TO_GET_ISSUER_CERT", "unknown", "not-applied", "the server's CA is unknown", trust],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unknown", "not-applied", "the server's CA is unknown", trust],
  ["HOSTNAME_MISMATCH", "unknown", "not-applied", "the server's certificate is for another host name", trust],
  ["INVALID_CA", "unknown", "not-applied", "the issuer of the server's certificate is not a CA", trust],
  ["INVALID_PURPOSE", "unknown", "not-applied", "the server's certificate is for another purpose", trust],
  ["PATH_LENGTH_EXCEEDED", "unknown", "not-applied", "the certificate chain is too long", trust],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "unknown",
    "not-applied",
    "the server's certificate is for another host name",
    trust,
  ],
  ["ERR_TLS_HANDSHAKE_TIMEOUT", "transient", "not-applied", "the TLS handshake timed out", again],
  // An invalid request.
  ["ERR_INVALID_URL", "terminal", "not-applied", "the URL is malformed", correct],
  ["ERR_INVALID_PROTOCOL", "terminal", "not-applied", "the URL's protocol is not supported", correct],
  ["ERR_INVALID_CHAR", "terminal", "not-applied", "a header has a character that is not allowed", correct],
  ["ERR_INVALID_HTTP_TOKEN", "terminal", "not-applied", "a header's name is malformed", correct],
  ["ERR_HTTP_INVALID_HEADER_VALUE", "terminal", "not-applied", "a header's value is malformed", correct],
  ["ERR_HTTP2_INVALID_HEADER_VALUE", "terminal", "not-applied", "a header's value is malformed", correct],
  ["ERR_HTTP_CONTENT_LENGTH_MISMATCH", "terminal", "unknown", "the body does not match its Content-Length", correct],
  ["ERR_UNESCAPED_CHARACTERS", "terminal", "not-applied", "the path has a character that is not allowed", correct],
  ["ERR_SOCKET_BAD_PORT", "terminal", "not-applied", "the port is invalid", correct],
  ["ERR_INVALID_ARG_TYPE", "terminal", "not-applied", "the request is invalid", correct],
  ["ERR_INVALID_ARG_VALUE", "terminal", "not-applied", "the request is invalid", correct],
  ["UND_ERR_INVALID_ARG", "terminal", "not-applied", "the request is invalid", correct],
  ["UND_ERR_INVALID_RETURN_VALUE", "terminal", "unknown", "the request is invalid", correct],
  ["UND_ERR_NOT_SUPPORTED", "terminal", "not-applied", "the request is not supported", correct],
  ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", "terminal", "unknown", "the body does not match its Content-Length", correct],
  // An invalid response.
  ["HPE_INVALID_EOF_STATE", "transient", "unknown", "the response is truncated", look],
  ["HPE_CLOSED_CONNECTION", "transient", "unknown", "the server sent data after it had closed the connection", look],
  ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "unknown", "unknown", "the response is too large", look],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "transient", "unknown", "the response is truncated", look],
  ["UND_ERR_HEADERS_OVERFLOW", "unknown", "unknown", "the response headers are too large", speak],
  ["UND_ERR_HTTP_PARSER", "unknown", "unknown", "the response is not HTTP", speak],
  // HTTP/2: the session has ended or refuses new streams.
  ["ERR_HTTP2_GOAWAY_SESSION", "transient", "not-applied", "the server is closing the connection", again],
  ["ERR_HTTP2_INVALID_SESSION", "transient", "not-applied", "the connection was closed", again],
  ["ERR_HTTP2_OUT_OF_STREAMS", "transient", "not-applied", "the connection has no stream IDs left", again],
  ["ERR_HTTP2_UNSUPPORTED_PROTOCOL", "terminal", "not-applied", "the URL's protocol is not supported", correct],
]);

/** Rows by prefix, for codes that are not listed above. The first match counts. */
const families: readonly WrittenRow<string>[] = [
  ["CERT_", "unknown", "not-applied", "the server's certificate was not accepted", trust],
  ["CRL_", "unknown", "not-applied", "the certificate revocation list was not accepted", trust],
  ["UNABLE_TO_", "unknown", "not-applied", "the server's certificate was not accepted", trust],
  ["ERROR_IN_C", "unknown", "not-applied", "the server's certificate is malformed", trust],
  ["ERR_TLS_", "unknown", "unknown", "TLS failed", trust],
  ["ERR_SSL_", "unknown", "unknown", "TLS failed", trust],
  ["ERR_OSSL_", "unknown", "unknown", "TLS failed", trust],
  ["EAI_", "unknown", "not-applied", "the DNS lookup failed", address],
  ["HPE_", "unknown", "unknown", "the response is not HTTP", speak],
  ["UND_ERR_", "transient", "unknown", "the connection broke", look],
  ["ERR_HTTP2_", "transient", "unknown", "the connection broke", look],
];

/** Returns the row of an error code of Node; undefined for codes that are not about connections. */
export function rowOfSocketCode(code: string): FailureRow | undefined {
  const row = sockets().get(code);
  if (row !== undefined) return row;
  const family = families.find(([prefix]) => code.startsWith(prefix));
  if (family === undefined) return undefined;
  const [, errorClass, outcome, meaning, advice] = family;
  return { errorClass, outcome, meaning, advice };
}
