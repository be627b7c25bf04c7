// Streams that our proxy and others handle differently, with the reason. The list may only shrink: the suite fails if a listed difference no longer occurs,
// and if there is a new one. None of them lets ours forward a request that the client did not send; that is a test of its own.

import type { SubjectName } from "./subjects.ts";

/** Targets of the requests that were forwarded, by proxy. Proxies that do as ours are left out. */
export type Verdicts = Partial<Record<SubjectName, string>>;

/** Differences with the same reason. */
export interface Difference {
  readonly why: string;
  /** Verdicts by the name of the oddity. `fast` is our proxy, and `safe` is ours on llhttp, the parser of Node. */
  readonly verdicts: Readonly<Record<string, Verdicts>>;
}

/** Oddities on which llhttp of Node 20 and of Node 24 differ. Its verdicts on them are not compared. */
export const changedInNode: ReadonlySet<string> = new Set(['content-length value "5\\t"', "field: 300 fields"]);

export const differences: readonly Difference[] = [
  {
    why: "Ours sends the next request of a client whose upgrade was not accepted; Node, HAProxy and Envoy end or hold such a connection.",
    verdicts: {
      "valid: upgrade to websocket": { fast: "/odd /after", safe: "/odd", haproxy: "refused", envoy: "refused" },
    },
  },
  {
    why: "Ours accepts one plain decimal length, with whitespace around it as RFC 9112 (5) allows. Others accept leading zeros or equal lengths in a list, or refuse tabs.",
    verdicts: {
      'content-length value "5,5"': { fast: "refused", haproxy: "/odd /after" },
      'content-length value "5, 5"': { fast: "refused", haproxy: "/odd /after" },
      'content-length value "05"': {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      'content-length value "5\\t"': { fast: "/odd /after", nginx: "refused" },
      'content-length value "\\t5"': { fast: "/odd /after", nginx: "refused" },
      "content-length twice, equal": { fast: "refused", haproxy: "/odd /after" },
    },
  },
  {
    why: "Ours accepts `chunked` alone; other codings before it are unused and recipients disagree on them.",
    verdicts: {
      'transfer-encoding value "identity, chunked"': { fast: "refused", safe: "/odd /after" },
      'transfer-encoding value "gzip, chunked"': { fast: "refused", safe: "/odd /after" },
      'transfer-encoding value ",chunked"': { fast: "refused", safe: "/odd /after" },
    },
  },
  {
    why: "nginx drops fields with malformed names, and Node the requests before bytes that it refuses. Ours refuses malformed names and forwards underscores, which are allowed.",
    verdicts: {
      "content-length: underscore in the name": { fast: "/odd /after", safe: "refused", nginx: "/odd", envoy: "/odd" },
      "content-length: non-ASCII byte before the name": { fast: "refused", nginx: "/odd" },
      "transfer-encoding: underscore in the name": { fast: "/odd", safe: "refused" },
      "transfer-encoding: non-ASCII byte before the name": { fast: "refused", nginx: "/odd" },
      "field: no colon": { fast: "refused", nginx: "/odd /after" },
      "field: parenthesis in the name": { fast: "refused", nginx: "/odd /after" },
      "field: non-ASCII byte in the name": { fast: "refused", nginx: "/odd /after" },
    },
  },
  {
    why: "Others join folded lines. RFC 9112 (5.2) allows to refuse them, and a recipient that does not know them reads another field.",
    verdicts: {
      "content-length: space at the start": { fast: "refused", haproxy: "/odd /after" },
      "content-length: in a folded line": { fast: "refused", haproxy: "/odd /after", envoy: "/odd" },
      "content-length: value in a folded line": { fast: "refused", haproxy: "/odd /after", envoy: "/odd /after" },
      "transfer-encoding: space at the start": { fast: "refused", haproxy: "/odd" },
      "transfer-encoding: in a folded line": { fast: "refused", haproxy: "/odd", envoy: "/odd" },
      "transfer-encoding: value in a folded line": { fast: "refused", haproxy: "/odd /after", envoy: "/odd /after" },
      "field: folded line": { fast: "refused", haproxy: "/odd /after", envoy: "/odd /after" },
      "chunks: folded trailer": { fast: "refused", nginx: "/odd /after", haproxy: "/odd /after", envoy: "/odd /after" },
    },
  },
  {
    why: "Others accept or repair line ends that are not CR LF. A recipient that does not would read other lines, so ours refuses them.",
    verdicts: {
      "content-length: after a bare CR": { fast: "refused", envoy: "/odd" },
      "content-length: after a bare LF": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "content-length: before a bare LF": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "content-length: before CR CR LF": { fast: "refused", nginx: "/odd /after", envoy: "/odd /after" },
      "transfer-encoding: after a bare CR": { fast: "refused", envoy: "/odd" },
      "transfer-encoding: after a bare LF": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "transfer-encoding: before a bare LF": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "transfer-encoding: before CR CR LF": { fast: "refused", nginx: "/odd /after", envoy: "/odd /after" },
      "request line: bare LF before": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "request line: bare LF after the line": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "request line: CR CR LF after the line": { fast: "refused", envoy: "/odd /after" },
      "field: bare CR in the value": { fast: "refused", envoy: "/odd /after" },
      "field: bare LF": { fast: "refused", nginx: "/odd /after", haproxy: "/odd /after", envoy: "/odd /after" },
      "field: bare LF before the empty line": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "field: empty line of a bare LF": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: bare LF in an extension": { fast: "refused", nginx: "/odd /after", haproxy: "/odd /after" },
      "chunks: bare LF after the size": { fast: "refused", nginx: "/odd /after", haproxy: "/odd /after" },
      "chunks: bare LF after the data": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: bare LF after a trailer": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: bare LF at the end": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: last size with bare LF": { fast: "refused", nginx: "/odd /after", haproxy: "/odd /after" },
      "chunks: no empty line at the end": { fast: "refused", nginx: "/odd" },
    },
  },
  {
    why: "HAProxy drops a length beside transfer-encoding; a recipient that prefers the length would end the request elsewhere.",
    verdicts: {
      "content-length before transfer-encoding": { fast: "refused", haproxy: "/odd" },
      "content-length after transfer-encoding": { fast: "refused", haproxy: "/odd" },
    },
  },
  {
    why: "Ours closes connections of HTTP/1.0 after a response and refuses chunked bodies in it; Envoy refuses HTTP/1.0 unless it is configured.",
    verdicts: {
      "transfer-encoding in HTTP/1.0": { fast: "refused", safe: "/odd /after" },
      "request line: HTTP/1.0": { fast: "/odd", safe: "refused", envoy: "refused" },
      "field: keep-alive of HTTP/1.0": {
        fast: "/odd",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "refused",
      },
    },
  },
  {
    why: "Others accept versions other than 1.0 and 1.1, a missing one, or a space after it.",
    verdicts: {
      "request line: HTTP/0.9": { fast: "refused", nginx: "/odd" },
      "request line: HTTP/1.2": { fast: "refused", nginx: "/odd /after", haproxy: "/odd /after" },
      "request line: HTTP/2.0": { fast: "refused", haproxy: "/odd /after" },
      "request line: HTTP/3.0": { fast: "refused", haproxy: "/odd /after" },
      "request line: version with two digits": { fast: "refused", nginx: "/odd /after" },
      "request line: space after the version": { fast: "refused", nginx: "/odd /after", envoy: "/odd /after" },
    },
  },
  {
    why: "Others accept any whitespace in the request line; its parts are then ambiguous.",
    verdicts: {
      "request line: two spaces before the target": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "request line: two spaces before the version": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "request line: tabs instead of spaces": { fast: "refused", haproxy: "/odd /after", envoy: "/odd /after" },
    },
  },
  {
    why: "Ours forwards bytes outside of ASCII, which many clients do not encode, and refuses fragments: nginx and Node forward them, and servers cut them off or not.",
    verdicts: {
      "request line: non-ASCII byte in the target": {
        fast: "/oddé /after",
        safe: "refused",
        haproxy: "refused",
        envoy: "refused",
      },
      "request line: fragment in the target": { fast: "refused", safe: "/odd#b /after", nginx: "/odd#b /after" },
    },
  },
  {
    why: "Ours accepts the absolute form only with the host of the Host header and without a user, the asterisk only with OPTIONS, and refuses CONNECT.",
    verdicts: {
      "request line: asterisk with GET": { fast: "refused", safe: "* /after", haproxy: "* /after" },
      "request line: asterisk with OPTIONS": { fast: "* /after", nginx: "refused", envoy: "/after" },
      "request line: absolute form of another host": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        envoy: "/odd /after",
      },
      "request line: absolute form with user": {
        fast: "refused",
        safe: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "request line: absolute form of another scheme": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
      },
    },
  },
  {
    why: "Any token is a method (RFC 9110, 9.1); others have a list of methods or of characters.",
    verdicts: {
      "request line: unknown method": { fast: "/odd /after", safe: "refused", envoy: "refused" },
      "request line: method in lower case": {
        fast: "/odd /after",
        safe: "refused",
        nginx: "refused",
        envoy: "refused",
      },
      "request line: method with punctuation": {
        fast: "/odd /after",
        safe: "refused",
        nginx: "refused",
        envoy: "refused",
      },
    },
  },
  {
    why: "Ours skips one empty line before a request, as RFC 9112 (2.2) asks for, and refuses more.",
    verdicts: {
      "request line: two empty lines before": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
    },
  },
  {
    why: "Ours needs exactly one Host of valid characters, which may be empty. Others choose one of several, or forward bytes that they did not check.",
    verdicts: {
      "host: empty": { fast: "/odd /after", nginx: "refused" },
      "host: twice": { fast: "refused", haproxy: "/odd /after", envoy: "/odd /after" },
      "host: twice, different": { fast: "refused", envoy: "/odd /after" },
      "host: with a space": { fast: "refused", safe: "/odd /after", haproxy: "/odd /after" },
      "host: with a slash": { fast: "refused", safe: "/odd /after", haproxy: "/odd /after" },
      "host: with a user": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
    },
  },
  {
    why: "nginx has no limit of the number of fields.",
    verdicts: {
      "field: 300 fields": { fast: "refused", nginx: "/odd /after" },
    },
  },
  {
    why: "Others ignore whitespace, control characters and zeros around the size of a chunk, or read past data of another size; Node parses quotes in extensions, ours does not need to.",
    verdicts: {
      "chunks: unbalanced quote in an extension": { fast: "/odd /after", safe: "refused" },
      "chunks: control character in an extension": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: space after the size": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: tab after the size": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: space before an extension": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: many leading zeros in the size": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: data longer than the size": { fast: "refused", envoy: "/odd /after" },
      "chunks: data shorter than the size": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
    },
  },
  {
    why: "Others drop or ignore such trailers. Ours forwards trailers, so it refuses malformed ones, and those that name the framing or the host.",
    verdicts: {
      "chunks: content-length in the trailer": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: transfer-encoding in the trailer": {
        fast: "refused",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: host in the trailer": {
        fast: "refused",
        safe: "/odd /after",
        nginx: "/odd /after",
        haproxy: "/odd /after",
        envoy: "/odd /after",
      },
      "chunks: space before the colon of a trailer": { fast: "refused", nginx: "/odd /after" },
      "chunks: trailer without colon": { fast: "refused", nginx: "/odd /after" },
    },
  },
  {
    why: "nginx ignores malformed trailers.",
    verdicts: {
      "chunks: NUL in a trailer": { fast: "refused", nginx: "/odd /after" },
    },
  },
  {
    why: "Node refuses all requests of a buffer that has bytes after a request which closes the connection; the others ignore the bytes.",
    verdicts: { "field: connection: close": { fast: "/odd", safe: "refused" } },
  },
];
