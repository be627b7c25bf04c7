import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RequestHead, type RequestProblem, requestProblems } from "./request-head.ts";

function parse(text: string, fieldsMax = 200): { head: RequestHead; problem: RequestProblem | undefined } {
  const head = new RequestHead("http", "10.0.0.7");
  return { problem: head.parse(text, fieldsMax), head };
}

const { line, target, connect, version, fields, framing, host, tooManyFields } = requestProblems;

describe("RequestHead", () => {
  const refused: readonly [name: string, text: string, problem: RequestProblem][] = [
    ["an empty head", "", line],
    ["a line without a target", "GET HTTP/1.1\r\nhost: a\r\n", line],
    ["two spaces", "GET  / HTTP/1.1\r\nhost: a\r\n", line],
    ["a tab instead of a space", "GET\t/ HTTP/1.1\r\nhost: a\r\n", line],
    ["a space after the version", "GET / HTTP/1.1 \r\nhost: a\r\n", line],
    ["a method that is no token", "G(T / HTTP/1.1\r\nhost: a\r\n", line],
    ["a space at the start", " GET / HTTP/1.1\r\nhost: a\r\n", line],
    ["a lower-case version", "GET / http/1.1\r\nhost: a\r\n", line],
    ["a line that ends with LF", "GET / HTTP/1.1\nhost: a\r\n", line],
    ["a control byte in the target", "GET /\x01 HTTP/1.1\r\nhost: a\r\n", line],
    ["NUL in the target", "GET /\0 HTTP/1.1\r\nhost: a\r\n", line],
    ["a fragment in the target", "GET /a#b HTTP/1.1\r\nhost: a\r\n", line],
    ["DEL in the target", "GET /\x7f HTTP/1.1\r\nhost: a\r\n", line],
    ["CR in the target", "GET /\r HTTP/1.1\r\nhost: a\r\n", line],
    ["HTTP/2.0", "GET / HTTP/2.0\r\nhost: a\r\n", version],
    ["HTTP/1.2", "GET / HTTP/1.2\r\nhost: a\r\n", version],
    ["HTTP/0.9", "GET / HTTP/0.9\r\nhost: a\r\n", version],
    ["a version of two digits", "GET / HTTP/1.10\r\nhost: a\r\n", line],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nhost: a:80\r\n", connect],
    ["a target without a slash", "GET a HTTP/1.1\r\nhost: a\r\n", target],
    ["an asterisk with GET", "GET * HTTP/1.1\r\nhost: a\r\n", target],
    ["another scheme", "GET ftp://a/ HTTP/1.1\r\nhost: a\r\n", target],
    ["an absolute target of another host", "GET http://b/ HTTP/1.1\r\nhost: a\r\n", host],
    ["an absolute target with credentials", "GET http://u@a/ HTTP/1.1\r\nhost: a\r\n", host],
    ["a folded line", "GET / HTTP/1.1\r\nhost: a\r\nx: 1\r\n 2\r\n", fields],
    ["a folded line with a tab", "GET / HTTP/1.1\r\nhost: a\r\nx: 1\r\n\t2\r\n", fields],
    ["a fold before the first field", "GET / HTTP/1.1\r\n x: 1\r\nhost: a\r\n", fields],
    ["a space before the colon", "GET / HTTP/1.1\r\nhost: a\r\nx : 1\r\n", fields],
    ["a field without a colon", "GET / HTTP/1.1\r\nhost: a\r\nx\r\n", fields],
    ["a field without a name", "GET / HTTP/1.1\r\nhost: a\r\n: 1\r\n", fields],
    ["a name that is no token", "GET / HTTP/1.1\r\nhost: a\r\nx(y): 1\r\n", fields],
    ["a name outside of ASCII", "GET / HTTP/1.1\r\nhost: a\r\nx\xe9: 1\r\n", fields],
    ["CR in a value", "GET / HTTP/1.1\r\nhost: a\r\nx: 1\r2\r\n", fields],
    ["LF in a value", "GET / HTTP/1.1\r\nhost: a\r\nx: 1\n2\r\n", fields],
    ["LF without CR after a value", "GET / HTTP/1.1\r\nhost: a\r\nx: 1\ny: 2\r\n", fields],
    ["NUL in a value", "GET / HTTP/1.1\r\nhost: a\r\nx: \0\r\n", fields],
    ["DEL in a value", "GET / HTTP/1.1\r\nhost: a\r\nx: \x7f\r\n", fields],
    ["vertical tab in a value", "GET / HTTP/1.1\r\nhost: a\r\nx: \x0b\r\n", fields],
    ["no host", "GET / HTTP/1.1\r\nx: 1\r\n", host],
    ["two hosts", "GET / HTTP/1.1\r\nhost: a\r\nHost: a\r\n", host],
    ["two hosts of HTTP/1.0", "GET / HTTP/1.0\r\nhost: a\r\nHost: a\r\n", host],
    ["a host with a space", "GET / HTTP/1.1\r\nhost: a b\r\n", host],
    ["a host with a path", "GET / HTTP/1.1\r\nhost: a/b\r\n", host],
    ["both framings", "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n", framing],
    [
      "both framings, reversed",
      "GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 1\r\n",
      framing,
    ],
    ["different lengths", "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n", framing],
    ["repeated lengths", "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 1\r\n", framing],
    ["transfer-encoding of HTTP/1.0", "GET / HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n", framing],
    [
      "repeated chunked",
      "GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
      framing,
    ],
    ...["", "+1", "-1", "1,1", "1, 1", "0x1", "1 1", "01", "1.0", "1e1", "١", "9999999999999999"]
      .map(
        (value) => [`length ${value}`, `GET / HTTP/1.1\r\nhost: a\r\ncontent-length: ${value}\r\n`, framing] as const,
      )
      .map(([name, text, problem]): [string, string, RequestProblem] => [
        name,
        Buffer.from(text).toString("latin1"),
        problem,
      ]),
    ...[
      "",
      "identity",
      "gzip",
      "gzip, chunked",
      "chunked, chunked",
      "chunked,",
      "xchunked",
      '"chunked"',
      "chunked;q=1",
      "\x0bchunked",
    ].map((value): [string, string, RequestProblem] => [
      `coding ${JSON.stringify(value)}`,
      `GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: ${value}\r\n`,
      value.startsWith("\x0b") ? fields : framing,
    ]),
  ];
  for (const [name, text, problem] of refused) {
    it(`refuses ${name}`, () => {
      assert.deepEqual(parse(text).problem, problem);
    });
  }

  it("limits the number of fields", () => {
    const text = `GET / HTTP/1.1\r\nhost: a\r\n${"x: 1\r\n".repeat(199)}`;

    assert.equal(parse(text).problem, undefined);
    assert.equal(parse(`${text}x: 1\r\n`).problem, tooManyFields);
  });

  it("reads a request", () => {
    const { head, problem } = parse(
      "POST /a?b HTTP/1.1\r\nHost: cart:80\r\nX-A:1\r\nx-a: \t 2 \t\r\nContent-Length: 7\r\nempty:\r\nUTF: \xc3\xa9\r\n",
    );

    assert.equal(problem, undefined);
    const { method, path, authority, contentLength, isChunked, isLast, isUpgrade, isOld, headers } = head;
    assert.deepEqual(
      { method, path, authority, contentLength, isChunked, isLast, isUpgrade, isOld },
      {
        method: "POST",
        path: "/a?b",
        authority: "cart:80",
        contentLength: 7,
        isChunked: false,
        isLast: false,
        isUpgrade: false,
        isOld: false,
      },
    );
    assert.deepEqual(
      ["x-a", "empty", "utf", "absent", "x-b", "content-length"].map((name) => headers.get(name)),
      [["1", "2"], "", "\xc3\xa9", undefined, undefined, "7"],
    );
  });

  it("drops fields and keeps the bytes of the others", () => {
    const { head } = parse("GET / HTTP/1.1\r\nA: 1\r\nhost:  a \r\nB: 2\r\na: 3\r\nC:4\r\n");

    head.headers.drop("a");
    head.headers.drop("absent");
    assert.equal(head.headers.text(), "host:  a \r\nB: 2\r\nC:4\r\n");
    head.headers.drop("c");
    assert.equal(head.headers.text(), "host:  a \r\nB: 2\r\n");
    head.headers.drop("b");
    head.headers.drop("host");
    assert.equal(head.headers.text(), "");
  });

  it("tells the last request of a connection and upgrades", () => {
    const flags = (text: string): readonly boolean[] => {
      const { head, problem } = parse(text);
      assert.equal(problem, undefined, text);
      return [head.isLast, head.isUpgrade];
    };

    assert.deepEqual(flags("GET / HTTP/1.0\r\n"), [true, false]);
    assert.deepEqual(flags("GET / HTTP/1.1\r\nhost: a\r\nconnection: x, Close\r\n"), [true, false]);
    assert.deepEqual(flags("GET / HTTP/1.1\r\nhost: a\r\nconnection: closed\r\n"), [false, false]);
    assert.deepEqual(flags("GET / HTTP/1.1\r\nhost: a\r\nconnection: x\r\nConnection: close\r\n"), [true, false]);
    const upgrade = "GET / HTTP/1.1\r\nhost: a\r\nconnection: keep-alive, Upgrade\r\n";
    assert.deepEqual(flags(upgrade), [false, false]);
    assert.deepEqual(flags(`${upgrade}upgrade: websocket\r\n`), [false, true]);
    for (const hidden of ["h2c", "H2C", "websocket, h2c", "HTTP/2.0", "TLS/1.2"])
      assert.deepEqual(flags(`${upgrade}upgrade: ${hidden}\r\n`), [false, false], hidden);
  });

  it("accepts all forms of targets that have one meaning", () => {
    const pathOf = (request: string): string => {
      const { head, problem } = parse(`${request} HTTP/1.1\r\nhost: A\r\n`);
      assert.equal(problem, undefined, request);
      return head.path;
    };

    assert.equal(pathOf("GET http://a/x?y"), "/x?y");
    assert.equal(pathOf("GET HTTP://a"), "/");
    assert.equal(pathOf("GET http://a?y"), "/?y");
    assert.equal(pathOf("OPTIONS *"), "*");
    assert.equal(pathOf("GET /\xe9"), "/\xe9");
  });
});
