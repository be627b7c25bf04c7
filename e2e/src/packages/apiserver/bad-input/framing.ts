// Requests that are malformed as HTTP, whatever their content.

import type { RawRequest } from "./exchange.ts";

/** A raw request for both servers. */
export interface Shape extends RawRequest {
  readonly name: string;
}

const maps = "/api/v1/namespaces/default/configmaps";
const host = "Host: 127.0.0.1\r\n";
const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad-input"}}';

/** Returns a request line and headers without the closing empty line. */
function raw(name: string, text: string, rest: Omit<RawRequest, "pieces"> = {}): Shape {
  return { name, pieces: [Buffer.from(text, "latin1")], ...rest };
}

/** Returns a dry-run create request with the given headers for length and encoding. */
function post(name: string, headers: string, body: string, rest: Omit<RawRequest, "pieces"> = {}): Shape {
  const head = `POST ${maps}?dryRun=All HTTP/1.1\r\n${host}Connection: close\r\nContent-Type: application/json\r\n`;
  return raw(name, `${head}${headers}\r\n\r\n${body}`, rest);
}

const hex = object.length.toString(16);
const chunks = `${hex}\r\n${object}\r\n0\r\n\r\n`;
const length = `Content-Length: ${object.length}`;

const lines: readonly Shape[] = [
  raw("only an empty line", "\r\n\r\n", { ends: true }),
  raw("a word", "hello\r\n\r\n"),
  raw("a method alone", "GET\r\n\r\n"),
  raw("a method and a path", `GET /version\r\n\r\n`),
  raw("no method", ` /version HTTP/1.1\r\n${host}\r\n`),
  raw("two spaces before the path", `GET  /version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("two spaces after the path", `GET /version  HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a tab for a space", `GET\t/version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a NUL in the method", `G\0T /version HTTP/1.1\r\n${host}\r\n`),
  raw("a NUL in the path", `GET /ver\0sion HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("bytes above ASCII in the path", `GET /ver\xe9sion HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("an unknown method", `FROB /version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a method in lower case", `get /version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("HTTP/0.9", `GET /version HTTP/0.9\r\n${host}\r\n`),
  raw("HTTP/1.0", `GET /version HTTP/1.0\r\n${host}\r\n`),
  raw("HTTP/1.9", `GET /version HTTP/1.9\r\n${host}Connection: close\r\n\r\n`),
  raw("HTTP/2.0 in words", `GET /version HTTP/2.0\r\n${host}\r\n`),
  raw("HTTP/9.9", `GET /version HTTP/9.9\r\n${host}\r\n`),
  raw("a version in lower case", `GET /version http/1.1\r\n${host}\r\n`),
  raw("an invalid version", `GET /version HTTP/x\r\n${host}\r\n`),
  raw("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  raw("line ends without CR", `GET /version HTTP/1.1\n${host.replace("\r", "")}Connection: close\n\n`),
  raw("a path that does not begin with a slash", `GET version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a path with ..", `GET /../../etc/passwd HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a path with encoded ..", `GET /api/v1/..%2f..%2fetc HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a percent sign alone", `GET /api/v1/% HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a percent sign with no digits", `GET /api/v1/%zz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a percent-encoded NUL", `GET /api/v1/namespaces/a%00b HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("invalid UTF-8, percent-encoded", `GET /api/v1/namespaces/%ff HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a whole address", `GET https://127.0.0.1/api/v1/nope HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("an invalid URL", `GET http://[::1 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("CONNECT to a host", `CONNECT 127.0.0.1:443 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("OPTIONS *", `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("GET *", `GET * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
];

const headers: readonly Shape[] = [
  raw("no Host", "GET /version HTTP/1.1\r\nConnection: close\r\n\r\n"),
  raw("an empty Host", "GET /version HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"),
  raw("two Hosts", `GET /version HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`),
  raw("a Host with a slash", "GET /version HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n"),
  raw("a Host with a NUL", "GET /version HTTP/1.1\r\nHost: a\0b\r\nConnection: close\r\n\r\n"),
  raw("a Host with a space in it", "GET /version HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n"),
  raw("a space before the colon", `GET /version HTTP/1.1\r\nHost : 127.0.0.1\r\nConnection: close\r\n\r\n`),
  raw("a header without a name", `GET /version HTTP/1.1\r\n${host}: x\r\nConnection: close\r\n\r\n`),
  raw("a header without a colon", `GET /version HTTP/1.1\r\n${host}nonsense\r\nConnection: close\r\n\r\n`),
  raw(
    "a header name with an invalid character",
    `GET /version HTTP/1.1\r\n${host}X(y): z\r\nConnection: close\r\n\r\n`,
  ),
  raw("a NUL in a header", `GET /version HTTP/1.1\r\n${host}X: a\0b\r\nConnection: close\r\n\r\n`),
  raw("a folded header", `GET /version HTTP/1.1\r\n${host}X: a\r\n b\r\nConnection: close\r\n\r\n`),
  raw("a folded first header", `GET /version HTTP/1.1\r\n X: a\r\n${host}Connection: close\r\n\r\n`),
  raw("a CR within a header", `GET /version HTTP/1.1\r\n${host}X: a\rb\r\nConnection: close\r\n\r\n`),
  raw("2 MiB in one header", `GET /version HTTP/1.1\r\n${host}X: ${"y".repeat(2 * 1024 * 1024)}\r\n\r\n`),
  raw("2 MiB of path", `GET /${"a".repeat(2 * 1024 * 1024)} HTTP/1.1\r\n${host}\r\n`),
  raw("an unknown expectation", `GET /version HTTP/1.1\r\n${host}Expect: x\r\nConnection: close\r\n\r\n`),
];

const bodies: readonly Shape[] = [
  post("Content-Length before Transfer-Encoding", `${length}\r\nTransfer-Encoding: chunked`, chunks),
  post("Transfer-Encoding before Content-Length", `Transfer-Encoding: chunked\r\n${length}`, chunks),
  post("two equal lengths", `${length}\r\n${length}`, object),
  post("two different lengths", `${length}\r\nContent-Length: 5`, object),
  post("two lengths in one header", `Content-Length: ${object.length}, ${object.length}`, object),
  post("a length with a sign", `Content-Length: +${object.length}`, object),
  post("a length in hexadecimal", "Content-Length: 0x46", object),
  post("a negative length", "Content-Length: -1", object),
  post("a length over 64 bits", "Content-Length: 99999999999999999999", object),
  post("an empty length", "Content-Length:", object),
  post("an unknown transfer encoding", "Transfer-Encoding: xchunked", object),
  post("chunked followed by identity", "Transfer-Encoding: chunked, identity", chunks),
  post("gzip followed by chunked", "Transfer-Encoding: gzip, chunked", chunks),
  post("chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", chunks),
  post("chunked after a vertical tab", "Transfer-Encoding: \x0bchunked", chunks),
  post("a chunk without a size", "Transfer-Encoding: chunked", "zz\r\n"),
  post("a chunk size over 64 bits", "Transfer-Encoding: chunked", "fffffffffffffffff\r\nx"),
  post("a chunk longer than its size", "Transfer-Encoding: chunked", `5\r\n${object}\r\n0\r\n\r\n`),
  post("a chunk with an extension", "Transfer-Encoding: chunked", `${hex};a=b\r\n${object}\r\n0\r\n\r\n`),
  post("a truncated body", length, object.slice(0, 20), { ends: true }),
  post("a truncated chunk", "Transfer-Encoding: chunked", chunks.slice(0, 30), { ends: true }),
  { ...post("a body in small pieces", length, ""), pieces: trickle(length, object) },
  post("a body without a length", "X: y", object),
  post("an uncompressed body with Content-Encoding gzip", `${length}\r\nContent-Encoding: gzip`, object),
  raw("a truncated head", `GET /version HTTP/1.1\r\nHos`, { ends: true }),
  raw("garbage before TLS", "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n", { over: "tcp" }),
];

function trickle(header: string, body: string): Uint8Array[] {
  const head = `POST ${maps}?dryRun=All HTTP/1.1\r\n${host}Connection: close\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
  return [head.slice(0, 40), head.slice(40), body.slice(0, 10), body.slice(10, 40), body.slice(40)].map((piece) =>
    Buffer.from(piece),
  );
}

/** All requests of this file. */
export const framing: readonly Shape[] = [...lines, ...headers, ...bodies];
