// The table of broken connections: every code that Node's sockets, TLS, HTTP parsers and DNS give an error, what it
// means for a retry and for a write. It is longer than other files because it is one table.
//
// "not-applied" stands only where the request cannot have left: before a connection was made. Whoever knows that no byte
// of the request was sent knows more than this table; see NetworkError.requestSent.

import { type FailureRow, failureTable, type WrittenRow } from "./failure-row.ts";

const again = "Try again.";
const look = "If this was a write, look at the live object before trying again.";
const address = "Check the server's address, and that it runs.";
const trust = "Check the server's certificate and the CA that is trusted here.";
const resources = "Try again; if it stays, raise the process's limits.";
const speak = "Check that the address is an API server's, and what stands before it.";
const correct = "Correct the request.";

const sockets = failureTable<string>(() => [
  // Making a connection: the request never left.
  ["ECONNREFUSED", "transient", "not-applied", "nothing listens at that address", address],
  ["EHOSTUNREACH", "transient", "not-applied", "there is no way to the host", address],
  ["EHOSTDOWN", "transient", "not-applied", "the host is down", address],
  ["ENETUNREACH", "transient", "not-applied", "there is no way to the network", address],
  ["ENETDOWN", "transient", "not-applied", "the network is down", again],
  ["EADDRNOTAVAIL", "transient", "not-applied", "no local address or port is free", again],
  ["ERR_SOCKET_CONNECTION_TIMEOUT", "transient", "not-applied", "no connection came about in time", address],
  ["UND_ERR_CONNECT_TIMEOUT", "transient", "not-applied", "no connection came about in time", address],
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
  ["EAFNOSUPPORT", "unknown", "not-applied", "this kind of address is not supported here", address],
  ["EPROTONOSUPPORT", "unknown", "not-applied", "this protocol is not supported here", address],
  ["EMFILE", "transient", "not-applied", "the process has too many open files", resources],
  ["ENFILE", "transient", "not-applied", "the system has too many open files", resources],
  ["ENOBUFS", "transient", "unknown", "the system has no memory for sockets", resources],
  ["ENOMEM", "transient", "unknown", "the system has no memory", resources],
  // Names.
  ["EAI_AGAIN", "transient", "not-applied", "the name server did not answer", again],
  ["EAI_FAIL", "transient", "not-applied", "the name server failed", again],
  ["EAI_MEMORY", "transient", "not-applied", "there was no memory to look the name up", resources],
  ["EAI_NODATA", "transient", "not-applied", "the name has no address", address],
  ["EAI_NONAME", "transient", "not-applied", "the name does not exist", address],
  ["EAI_SYSTEM", "transient", "not-applied", "the name could not be looked up", again],
  ["ENOTFOUND", "transient", "not-applied", "the name does not exist", address],
  ["ENODATA", "transient", "not-applied", "the name has no address", address],
  ["ESERVFAIL", "transient", "not-applied", "the name server failed", again],
  ["EREFUSED", "transient", "not-applied", "the name server refused to answer", again],
  ["ETIMEOUT", "transient", "not-applied", "the name server did not answer", again],
  ["EBADNAME", "terminal", "not-applied", "the name is malformed", correct],
  ["EBADRESP", "transient", "not-applied", "the name server gave no proper answer", again],
  // A connection that broke: whether the request arrived, and was carried out, is not known.
  ["ECONNRESET", "transient", "unknown", "the connection was cut", look],
  ["ECONNABORTED", "transient", "unknown", "the connection was given up", look],
  ["EPIPE", "transient", "unknown", "the server had closed the connection", look],
  ["ETIMEDOUT", "transient", "unknown", "the server did not answer in time", look],
  ["ESOCKETTIMEDOUT", "transient", "unknown", "the server did not answer in time", look],
  ["ENOTCONN", "transient", "unknown", "the connection was gone", look],
  ["ENETRESET", "transient", "unknown", "the network cut the connection", look],
  ["ESHUTDOWN", "transient", "unknown", "the connection was closed", look],
  ["ECANCELED", "transient", "unknown", "the operation was cancelled", look],
  ["EINTR", "transient", "unknown", "the operation was interrupted", look],
  ["EAGAIN", "transient", "unknown", "the system asks to try again", look],
  ["EOF", "transient", "unknown", "the connection ended too early", look],
  ["EIO", "unknown", "unknown", "the system reports a broken device", look],
  ["ERR_STREAM_PREMATURE_CLOSE", "transient", "unknown", "the connection ended too early", look],
  ["ERR_STREAM_DESTROYED", "transient", "unknown", "the connection was closed", look],
  ["ERR_STREAM_WRITE_AFTER_END", "transient", "unknown", "the connection was closed", look],
  ["ERR_SOCKET_CLOSED", "transient", "unknown", "the connection was closed", look],
  [
    "ERR_SOCKET_CLOSED_BEFORE_CONNECTION",
    "transient",
    "not-applied",
    "the connection was closed before it was made",
    again,
  ],
  ["ERR_HTTP_REQUEST_TIMEOUT", "transient", "unknown", "the request took too long", look],
  // Ended from this side.
  ["ABORT_ERR", "transient", "unknown", "it was stopped from this side", look],
  ["ERR_CANCELED", "transient", "unknown", "it was stopped from this side", look],
  ["UND_ERR_ABORTED", "transient", "unknown", "it was stopped from this side", look],
  // TLS: the server's certificate is judged before the request leaves; other alerts may come after it.
  ["EPROTO", "unknown", "unknown", "TLS failed", trust],
  ["CERT_HAS_EXPIRED", "unknown", "not-applied", "the server's certificate has expired", trust],
  [
    "CERT_NOT_YET_VALID",
    "unknown",
    "not-applied",
    "the server's certificate is not valid yet",
    "Check the clocks of both machines.",
  ],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "unknown", "not-applied", "the server's certificate is signed by itself", trust],
  ["SELF_SIGNED_CERT_IN_CHAIN", "unknown", "not-applied", "the server's CA is not trusted here", trust],
  [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "unknown",
    "not-applied",
    "the server's certificate is from an unknown CA",
    trust,
  ],
  ["UNABLE_TO_GET_ISSUER_CERT", "unknown", "not-applied", "the server's CA is not known here", trust],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unknown", "not-applied", "the server's CA is not known here", trust],
  ["HOSTNAME_MISMATCH", "unknown", "not-applied", "the certificate is for another name", trust],
  ["INVALID_CA", "unknown", "not-applied", "the CA's certificate is not one of a CA", trust],
  ["INVALID_PURPOSE", "unknown", "not-applied", "the certificate is for another purpose", trust],
  ["PATH_LENGTH_EXCEEDED", "unknown", "not-applied", "the chain of certificates is too long", trust],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "unknown", "not-applied", "the certificate is for another name", trust],
  ["ERR_TLS_HANDSHAKE_TIMEOUT", "transient", "not-applied", "TLS was not set up in time", again],
  // A request that cannot be made.
  ["ERR_INVALID_URL", "terminal", "not-applied", "the URL is malformed", correct],
  ["ERR_INVALID_PROTOCOL", "terminal", "not-applied", "the URL's protocol is not supported", correct],
  ["ERR_INVALID_CHAR", "terminal", "not-applied", "a header has a character that is not allowed", correct],
  ["ERR_INVALID_HTTP_TOKEN", "terminal", "not-applied", "a header's name is malformed", correct],
  ["ERR_HTTP_INVALID_HEADER_VALUE", "terminal", "not-applied", "a header's value is malformed", correct],
  ["ERR_HTTP2_INVALID_HEADER_VALUE", "terminal", "not-applied", "a header's value is malformed", correct],
  ["ERR_HTTP_CONTENT_LENGTH_MISMATCH", "terminal", "unknown", "the body has another length than was said", correct],
  ["ERR_UNESCAPED_CHARACTERS", "terminal", "not-applied", "the path has a character that is not allowed", correct],
  ["ERR_SOCKET_BAD_PORT", "terminal", "not-applied", "the port is not one", correct],
  ["ERR_INVALID_ARG_TYPE", "terminal", "not-applied", "the request was made wrongly", correct],
  ["ERR_INVALID_ARG_VALUE", "terminal", "not-applied", "the request was made wrongly", correct],
  ["UND_ERR_INVALID_ARG", "terminal", "not-applied", "the request was made wrongly", correct],
  ["UND_ERR_INVALID_RETURN_VALUE", "terminal", "unknown", "the request was made wrongly", correct],
  ["UND_ERR_NOT_SUPPORTED", "terminal", "not-applied", "the request asks for something unsupported", correct],
  ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", "terminal", "unknown", "the body has another length than was said", correct],
  // An answer that cannot be read.
  ["HPE_INVALID_EOF_STATE", "transient", "unknown", "the answer ended too early", look],
  ["HPE_CLOSED_CONNECTION", "transient", "unknown", "the server sent more after it had closed", look],
  ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "unknown", "unknown", "the answer is too large", look],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "transient", "unknown", "the answer ended too early", look],
  ["UND_ERR_HEADERS_OVERFLOW", "unknown", "unknown", "the answer's headers are too large", speak],
  ["UND_ERR_HTTP_PARSER", "unknown", "unknown", "the answer is not HTTP", speak],
  // HTTP/2: what a session reports when it ends or will not take the stream.
  ["ERR_HTTP2_GOAWAY_SESSION", "transient", "not-applied", "the server is closing the connection", again],
  ["ERR_HTTP2_INVALID_SESSION", "transient", "not-applied", "the connection was closed", again],
  ["ERR_HTTP2_OUT_OF_STREAMS", "transient", "not-applied", "the connection is used up", again],
  ["ERR_HTTP2_UNSUPPORTED_PROTOCOL", "terminal", "not-applied", "the URL's protocol is not supported", correct],
]);

/** Families of codes, asked when a code is not listed by itself; the first that fits counts. */
const families: readonly WrittenRow<string>[] = [
  ["CERT_", "unknown", "not-applied", "the server's certificate was not accepted", trust],
  ["CRL_", "unknown", "not-applied", "the list of revoked certificates was not accepted", trust],
  ["UNABLE_TO_", "unknown", "not-applied", "the server's certificate was not accepted", trust],
  ["ERROR_IN_C", "unknown", "not-applied", "the server's certificate is malformed", trust],
  ["ERR_TLS_", "unknown", "unknown", "TLS failed", trust],
  ["ERR_SSL_", "unknown", "unknown", "TLS failed", trust],
  ["ERR_OSSL_", "unknown", "unknown", "TLS failed", trust],
  ["EAI_", "unknown", "not-applied", "the name could not be looked up", address],
  ["HPE_", "unknown", "unknown", "the answer is not HTTP", speak],
  ["UND_ERR_", "transient", "unknown", "the connection broke", look],
  ["ERR_HTTP2_", "transient", "unknown", "the connection broke", look],
];

/** What the code of an error of Node's means, or `undefined` for a code that has nothing to do with a connection. */
export function rowOfSocketCode(code: string): FailureRow | undefined {
  const row = sockets().get(code);
  if (row !== undefined) return row;
  const family = families.find(([prefix]) => code.startsWith(prefix));
  if (family === undefined) return undefined;
  const [, errorClass, outcome, meaning, advice] = family;
  return { errorClass, outcome, meaning, advice };
}
