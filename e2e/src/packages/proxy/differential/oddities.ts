// Requests with one oddity each: the known ways to make two recipients disagree on the end of a request, and valid forms that some
// recipients refuse. The names are keys of the list of differences.

/** Parts of a request that vary without a change of its meaning. */
export interface Variation {
  /** Harmless fields before and after the odd ones, each with CR LF. */
  readonly before: string;
  readonly after: string;
}

/** A request with an oddity. */
export interface Oddity {
  readonly name: string;
  /** Returns the bytes of the request as latin1 text. Its target is `/odd`, unless that is the oddity. */
  readonly text: (variation: Variation) => string;
}

interface Parts {
  readonly line?: string;
  readonly host?: string;
  readonly fields?: string;
  readonly body?: string;
}

const crlf = "\r\n";
const hello = "hello";
const chunks = "5\r\nhello\r\n0\r\n\r\n";
const post = "POST /odd HTTP/1.1\r\n";
const get = "GET /odd HTTP/1.1\r\n";

function odd(name: string, { line = get, host = "host: cart\r\n", fields = "", body = "" }: Parts): Oddity {
  return { name, text: ({ before, after }) => `${line}${host}${before}${fields}${after}${crlf}${body}` };
}

/** Shows a text in a name: printable, and the same for equal texts. */
function shown(text: string): string {
  return JSON.stringify(text.replaceAll(/[\x80-\xff]/g, (byte) => `<${byte.charCodeAt(0).toString(16)}>`));
}

const valid: readonly Oddity[] = [
  odd("valid: GET", {}),
  odd("valid: HEAD", { line: "HEAD /odd HTTP/1.1\r\n" }),
  odd("valid: content-length", { line: post, fields: "content-length: 5\r\n", body: hello }),
  odd("valid: content-length of GET", { fields: "content-length: 5\r\n", body: hello }),
  odd("valid: content-length 0", { line: post, fields: "content-length: 0\r\n" }),
  odd("valid: POST without body", { line: post }),
  odd("valid: chunked", { line: post, fields: "transfer-encoding: chunked\r\n", body: chunks }),
  odd("valid: chunked of GET", { fields: "transfer-encoding: chunked\r\n", body: chunks }),
  odd("valid: expect", { line: post, fields: "expect: 100-continue\r\ncontent-length: 5\r\n", body: hello }),
  odd("valid: upgrade to websocket", { fields: "connection: upgrade\r\nupgrade: websocket\r\n" }),
  odd("valid: upgrade to h2c", {
    fields: "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n",
  }),
  odd("valid: empty value", { fields: "x-empty:\r\n" }),
  odd("valid: whitespace around a value", { fields: "x: \t 1 \t\r\n" }),
];

const lengths = "+5|-5|0x5|5 5|5,5|5, 5|05|5;|5.0|5e0|five||5\0|5\v|\xb25|18446744073709551621|4294967301|5\t|\t5"
  .split("|")
  .map((value) =>
    odd(`content-length value ${shown(value)}`, { line: post, fields: `content-length: ${value}\r\n`, body: hello }),
  );

const codings = [
  ..."xchunked|chunked, identity|identity, chunked|chunked, chunked|gzip, chunked|gzip|chunked;q=1|'chunked'".split(
    "|",
  ),
  ..."chunk|chunked\0|\vchunked|\fchunked|,chunked|chunked,|CHUNKED|identity||chunked chunked|\xa0chunked".split("|"),
].map((value) =>
  odd(`transfer-encoding value ${shown(value)}`, {
    line: post,
    fields: `transfer-encoding: ${value}\r\n`,
    body: chunks,
  }),
);

const names = ["content-length", "transfer-encoding"].flatMap((name) => {
  const value = name === "content-length" ? "5" : "chunked";
  const body = name === "content-length" ? hello : chunks;
  const lines: Readonly<Record<string, string>> = {
    "space before the colon": `${name} : ${value}`,
    "tab before the colon": `${name}\t: ${value}`,
    "NUL in the name": `${name}\0: ${value}`,
    "underscore in the name": `${name.replace("-", "_")}: ${value}`,
    "space in the name": `${name.replace("-", " ")}: ${value}`,
    "no colon": `${name} ${value}`,
    "space at the start": ` ${name}: ${value}`,
    "in a folded line": `x: 1\r\n ${name}: ${value}`,
    "value in a folded line": `${name}:\r\n ${value}`,
    "after a bare CR": `x: 1\r${name}: ${value}`,
    "after a bare LF": `x: 1\n${name}: ${value}`,
    "before a bare LF": `${name}: ${value}\nx: 1`,
    "before CR CR LF": `${name}: ${value}\r`,
    "non-ASCII byte before the name": `\xff${name}: ${value}`,
  };
  return Object.entries(lines).map(([what, line]) =>
    odd(`${name}: ${what}`, { line: post, fields: `${line}\r\n`, body }),
  );
});

const both = [
  odd("content-length twice, equal", {
    line: post,
    fields: "content-length: 5\r\ncontent-length: 5\r\n",
    body: hello,
  }),
  odd("content-length twice, different", {
    line: post,
    fields: "content-length: 5\r\ncontent-length: 0\r\n",
    body: hello,
  }),
  odd("content-length before transfer-encoding", {
    line: post,
    fields: "content-length: 5\r\ntransfer-encoding: chunked\r\n",
    body: chunks,
  }),
  odd("content-length after transfer-encoding", {
    line: post,
    fields: "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
    body: chunks,
  }),
  odd("transfer-encoding twice", {
    line: post,
    fields: "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
    body: chunks,
  }),
  odd("transfer-encoding twice, identity last", {
    line: post,
    fields: "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
    body: chunks,
  }),
  odd("transfer-encoding in HTTP/1.0", {
    line: "POST /odd HTTP/1.0\r\n",
    fields: "connection: keep-alive\r\ntransfer-encoding: chunked\r\n",
    body: chunks,
  }),
  odd("content-length named by connection", {
    line: post,
    fields: "connection: content-length\r\ncontent-length: 5\r\n",
    body: hello,
  }),
  odd("transfer-encoding named by connection", {
    line: post,
    fields: "connection: transfer-encoding\r\ntransfer-encoding: chunked\r\n",
    body: chunks,
  }),
];

const lines = Object.entries({
  "HTTP/1.0": "GET /odd HTTP/1.0\r\n",
  "HTTP/0.9": "GET /odd\r\n",
  "HTTP/1.2": "GET /odd HTTP/1.2\r\n",
  "HTTP/2.0": "GET /odd HTTP/2.0\r\n",
  "HTTP/3.0": "GET /odd HTTP/3.0\r\n",
  "version with two digits": "GET /odd HTTP/1.10\r\n",
  "version with a leading zero": "GET /odd HTTP/01.1\r\n",
  "version in lower case": "GET /odd http/1.1\r\n",
  "text after the version": "GET /odd HTTP/1.1x\r\n",
  "space after the version": "GET /odd HTTP/1.1 \r\n",
  "version twice": "GET /odd HTTP/1.1 HTTP/1.1\r\n",
  "two spaces before the target": "GET  /odd HTTP/1.1\r\n",
  "two spaces before the version": "GET /odd  HTTP/1.1\r\n",
  "tabs instead of spaces": "GET\t/odd\tHTTP/1.1\r\n",
  "no target": "GET HTTP/1.1\r\n",
  "space in the target": "GET /odd /b HTTP/1.1\r\n",
  "NUL in the target": "GET /odd\0 HTTP/1.1\r\n",
  "DEL in the target": "GET /odd\x7f HTTP/1.1\r\n",
  "control character in the target": "GET /odd\x01 HTTP/1.1\r\n",
  "non-ASCII byte in the target": "GET /odd\xe9 HTTP/1.1\r\n",
  "fragment in the target": "GET /odd#b HTTP/1.1\r\n",
  "backslash in the target": "GET /odd\\b HTTP/1.1\r\n",
  "relative target": "GET odd HTTP/1.1\r\n",
  "asterisk with GET": "GET * HTTP/1.1\r\n",
  "asterisk with OPTIONS": "OPTIONS * HTTP/1.1\r\n",
  "absolute form": "GET http://cart/odd HTTP/1.1\r\n",
  "absolute form of another host": "GET http://other/odd HTTP/1.1\r\n",
  "absolute form with user": "GET http://user@cart/odd HTTP/1.1\r\n",
  "absolute form of another scheme": "GET ftp://cart/odd HTTP/1.1\r\n",
  CONNECT: "CONNECT cart:80 HTTP/1.1\r\n",
  "unknown method": "FOO /odd HTTP/1.1\r\n",
  "method in lower case": "get /odd HTTP/1.1\r\n",
  "method with punctuation": "A!B /odd HTTP/1.1\r\n",
  "method that is no token": "A(B /odd HTTP/1.1\r\n",
  "space before the method": " GET /odd HTTP/1.1\r\n",
  "empty line before": "\r\nGET /odd HTTP/1.1\r\n",
  "two empty lines before": "\r\n\r\nGET /odd HTTP/1.1\r\n",
  "bare LF before": "\nGET /odd HTTP/1.1\r\n",
  "bare LF after the line": "GET /odd HTTP/1.1\n",
  "bare CR after the line": "GET /odd HTTP/1.1\r",
  "CR CR LF after the line": "GET /odd HTTP/1.1\r\r\n",
}).map(([name, line]) => odd(`request line: ${name}`, { line }));

const hosts = Object.entries({
  missing: "",
  empty: "host:\r\n",
  twice: "host: cart\r\nhost: cart\r\n",
  "twice, different": "host: cart\r\nhost: other\r\n",
  "with a space": "host: cart other\r\n",
  "with a comma": "host: cart,other\r\n",
  "with a slash": "host: cart/other\r\n",
  "with a user": "host: a@cart\r\n",
  "with a control character": "host: cart\x01\r\n",
}).map(([name, host]) => odd(`host: ${name}`, { host }));

const fields = Object.entries({
  "no colon": "broken\r\n",
  "empty name": ": 1\r\n",
  "space in the name": "a b: 1\r\n",
  "parenthesis in the name": "a(b: 1\r\n",
  "non-ASCII byte in the name": "a\xe9: 1\r\n",
  "NUL in the value": "a: 1\0\r\n",
  "control character in the value": "a: 1\x01\r\n",
  "DEL in the value": "a: 1\x7f\r\n",
  "non-ASCII byte in the value": "a: \xe9\r\n",
  "bare CR in the value": "a: 1\r2\r\n",
  "bare LF": "a: 1\nb: 2\r\n",
  "folded line": "a: 1\r\n 2\r\n",
  "bare LF before the empty line": "a: 1\n",
  "empty line of a bare LF": "a: 1\r\n\n",
  "300 fields": "a: 1\r\n".repeat(300),
  "large field": `a: ${"x".repeat(70_000)}\r\n`,
  "unknown expectation": "expect: 200-ok\r\n",
  "connection: close": "connection: close\r\n",
  "keep-alive of HTTP/1.0": "connection: keep-alive\r\n",
}).map(([name, text]) =>
  odd(`field: ${name}`, {
    fields: text,
    ...(name.endsWith("HTTP/1.0") && { line: "GET /odd HTTP/1.0\r\n" }),
  }),
);

const bodies = Object.entries({
  extension: "5;a=b\r\nhello\r\n0\r\n\r\n",
  "extension without value": "5;a\r\nhello\r\n0\r\n\r\n",
  "quoted extension": '5;a="b"\r\nhello\r\n0\r\n\r\n',
  "unbalanced quote in an extension": '5;a="b\r\nhello\r\n0\r\n\r\n',
  "control character in an extension": "5;a\x01\r\nhello\r\n0\r\n\r\n",
  "bare LF in an extension": "5;a\nhello\r\n0\r\n\r\n",
  "bare CR in an extension": "5;a\rb\r\nhello\r\n0\r\n\r\n",
  "space after the size": "5 \r\nhello\r\n0\r\n\r\n",
  "tab after the size": "5\t\r\nhello\r\n0\r\n\r\n",
  "space before the size": " 5\r\nhello\r\n0\r\n\r\n",
  "space before an extension": "5 ;a=b\r\nhello\r\n0\r\n\r\n",
  "upper-case size": "A\r\n0123456789\r\n0\r\n\r\n",
  "leading zeros in the size": "0005\r\nhello\r\n0\r\n\r\n",
  "many leading zeros in the size": `${"0".repeat(20)}5\r\nhello\r\n0\r\n\r\n`,
  "several zeros as last size": "5\r\nhello\r\n000\r\n\r\n",
  "plus sign": "+5\r\nhello\r\n0\r\n\r\n",
  "minus sign": "-5\r\nhello\r\n0\r\n\r\n",
  "0x before the size": "0x5\r\nhello\r\n0\r\n\r\n",
  "underscore in the size": "0_5\r\nhello\r\n0\r\n\r\n",
  "size beyond 64 bits": "10000000000000005\r\nhello\r\n0\r\n\r\n",
  "no size": "\r\nhello\r\n0\r\n\r\n",
  "no hexadecimal size": "g\r\nhello\r\n0\r\n\r\n",
  "bare LF after the size": "5\nhello\r\n0\r\n\r\n",
  "bare CR after the size": "5\rhello\r\n0\r\n\r\n",
  "CR CR LF after the size": "5\r\r\nhello\r\n0\r\n\r\n",
  "bare LF after the data": "5\r\nhello\n0\r\n\r\n",
  "no CR LF after the data": "5\r\nhello0\r\n\r\n",
  "data longer than the size": "5\r\nhello!\r\n0\r\n\r\n",
  "data shorter than the size": "6\r\nhello\r\n0\r\n\r\n",
  trailer: "0\r\nx: 1\r\n\r\n",
  "content-length in the trailer": "0\r\ncontent-length: 9\r\n\r\n",
  "transfer-encoding in the trailer": "0\r\ntransfer-encoding: chunked\r\n\r\n",
  "host in the trailer": "0\r\nhost: other\r\n\r\n",
  "space before the colon of a trailer": "0\r\nx : 1\r\n\r\n",
  "folded trailer": "0\r\nx: 1\r\n 2\r\n\r\n",
  "trailer without colon": "0\r\nx\r\n\r\n",
  "NUL in a trailer": "0\r\nx: \0\r\n\r\n",
  "bare LF after a trailer": "0\r\nx: 1\n\r\n",
  "bare LF at the end": "0\r\n\n",
  "last size with bare LF": "0\n\r\n",
  "no empty line at the end": "0\r\n",
}).map(([name, body]) => odd(`chunks: ${name}`, { line: post, fields: "transfer-encoding: chunked\r\n", body }));

/** All oddities. */
export const oddities: readonly Oddity[] = [
  ...valid,
  ...lengths,
  ...codings,
  ...names,
  ...both,
  ...lines,
  ...hosts,
  ...fields,
  ...bodies,
];
