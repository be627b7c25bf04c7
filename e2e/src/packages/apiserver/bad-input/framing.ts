// Requests that are wrong as HTTP, before anybody asks what they are about.

import type { Sent } from "./exchange.ts";

/** Something to send to both servers. */
export interface Shape extends Sent {
  readonly name: string;
}

const maps = "/api/v1/namespaces/default/configmaps";
const host = "Host: 127.0.0.1\r\n";
const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad-input"}}';

/** A request line and headers as they are, without the end. */
function raw(name: string, text: string, rest: Omit<Sent, "pieces"> = {}): Shape {
  return { name, pieces: [Buffer.from(text, "latin1")], ...rest };
}

/** A dry-run create whose length and encoding are told by these headers. */
function post(name: string, headers: string, body: string, rest: Omit<Sent, "pieces"> = {}): Shape {
  const head = `POST ${maps}?dryRun=All HTTP/1.1\r\n${host}Connection: close\r\nContent-Type: application/json\r\n`;
  return raw(name, `${head}${headers}\r\n\r\n${body}`, rest);
}

const hex = object.length.toString(16);
const chunks = `${hex}\r\n${object}\r\n0\r\n\r\n`;
const length = `Content-Length: ${object.length}`;

const lines: readonly Shape[] = [
  raw("an empty line and nothing else", "\r\n\r\n", { ends: true }),
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
  raw("a method nobody knows", `FROB /version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a method in small letters", `get /version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("HTTP/0.9", `GET /version HTTP/0.9\r\n${host}\r\n`),
  raw("HTTP/1.0", `GET /version HTTP/1.0\r\n${host}\r\n`),
  raw("HTTP/1.9", `GET /version HTTP/1.9\r\n${host}Connection: close\r\n\r\n`),
  raw("HTTP/2.0 in words", `GET /version HTTP/2.0\r\n${host}\r\n`),
  raw("HTTP/9.9", `GET /version HTTP/9.9\r\n${host}\r\n`),
  raw("a version in small letters", `GET /version http/1.1\r\n${host}\r\n`),
  raw("a version that is none", `GET /version HTTP/x\r\n${host}\r\n`),
  raw("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  raw("line ends without a return", `GET /version HTTP/1.1\n${host.replace("\r", "")}Connection: close\n\n`),
  raw("a path that does not begin with a slash", `GET version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a path that leads out", `GET /../../etc/passwd HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a path that leads out, hidden", `GET /api/v1/..%2f..%2fetc HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a percent sign alone", `GET /api/v1/% HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a percent sign with no digits", `GET /api/v1/%zz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a NUL in percent form", `GET /api/v1/namespaces/a%00b HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("UTF-8 that is none, in percent form", `GET /api/v1/namespaces/%ff HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("a whole address", `GET https://127.0.0.1/api/v1/nope HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("an address that is none", `GET http://[::1 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("CONNECT to a host", `CONNECT 127.0.0.1:443 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("OPTIONS of a star", `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  raw("GET of a star", `GET * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
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
  raw("a header with a letter that may not be", `GET /version HTTP/1.1\r\n${host}X(y): z\r\nConnection: close\r\n\r\n`),
  raw("a NUL in a header", `GET /version HTTP/1.1\r\n${host}X: a\0b\r\nConnection: close\r\n\r\n`),
  raw("a folded header", `GET /version HTTP/1.1\r\n${host}X: a\r\n b\r\nConnection: close\r\n\r\n`),
  raw("a first header that is folded", `GET /version HTTP/1.1\r\n X: a\r\n${host}Connection: close\r\n\r\n`),
  raw("a return within a header", `GET /version HTTP/1.1\r\n${host}X: a\rb\r\nConnection: close\r\n\r\n`),
  raw("2 MiB in one header", `GET /version HTTP/1.1\r\n${host}X: ${"y".repeat(2 * 1024 * 1024)}\r\n\r\n`),
  raw("2 MiB of path", `GET /${"a".repeat(2 * 1024 * 1024)} HTTP/1.1\r\n${host}\r\n`),
  raw("an expectation nobody meets", `GET /version HTTP/1.1\r\n${host}Expect: x\r\nConnection: close\r\n\r\n`),
];

const bodies: readonly Shape[] = [
  post("length and chunks together", `${length}\r\nTransfer-Encoding: chunked`, chunks),
  post("chunks and length together", `Transfer-Encoding: chunked\r\n${length}`, chunks),
  post("two lengths that agree", `${length}\r\n${length}`, object),
  post("two lengths that do not", `${length}\r\nContent-Length: 5`, object),
  post("two lengths in one header", `Content-Length: ${object.length}, ${object.length}`, object),
  post("a length with a sign", `Content-Length: +${object.length}`, object),
  post("a length in hexadecimal", "Content-Length: 0x46", object),
  post("a length below nothing", "Content-Length: -1", object),
  post("a length beyond all numbers", "Content-Length: 99999999999999999999", object),
  post("a length that is empty", "Content-Length:", object),
  post("an encoding nobody knows", "Transfer-Encoding: xchunked", object),
  post("chunks and something else", "Transfer-Encoding: chunked, identity", chunks),
  post("something else and chunks", "Transfer-Encoding: gzip, chunked", chunks),
  post("chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", chunks),
  post("chunks after a strange space", "Transfer-Encoding: \x0bchunked", chunks),
  post("a chunk without a size", "Transfer-Encoding: chunked", "zz\r\n"),
  post("a chunk beyond all numbers", "Transfer-Encoding: chunked", "fffffffffffffffff\r\nx"),
  post("a chunk that is longer than it says", "Transfer-Encoding: chunked", `5\r\n${object}\r\n0\r\n\r\n`),
  post("a chunk with an extension", "Transfer-Encoding: chunked", `${hex};a=b\r\n${object}\r\n0\r\n\r\n`),
  post("half a body and the end", length, object.slice(0, 20), { ends: true }),
  post("half a chunk and the end", "Transfer-Encoding: chunked", chunks.slice(0, 30), { ends: true }),
  { ...post("a body in small pieces", length, ""), pieces: trickle(length, object) },
  post("no length at all", "X: y", object),
  post("a body that says it is compressed, and is not", `${length}\r\nContent-Encoding: gzip`, object),
  raw("half a head and the end", `GET /version HTTP/1.1\r\nHos`, { ends: true }),
  raw("garbage before TLS", "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n", { over: "tcp" }),
];

function trickle(header: string, body: string): Uint8Array[] {
  const head = `POST ${maps}?dryRun=All HTTP/1.1\r\n${host}Connection: close\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
  return [head.slice(0, 40), head.slice(40), body.slice(0, 10), body.slice(10, 40), body.slice(40)].map((piece) =>
    Buffer.from(piece),
  );
}

/** All of them. */
export const framing: readonly Shape[] = [...lines, ...headers, ...bodies];
