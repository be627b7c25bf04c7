import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inputCount } from "@homeostat/fuzz";
import { ResponseReader, BrokenHttpError } from "./response-reader.ts";

interface Read {
  readonly reader: ResponseReader;
  readonly body: string;
}

function read(...pieces: readonly string[]): Read {
  const body: Buffer[] = [];
  const reader = new ResponseReader({ push: (piece) => body.push(Buffer.from(piece)) });
  for (const piece of pieces) reader.push(Buffer.from(piece, "latin1"));
  return { reader, body: Buffer.concat(body).toString("latin1") };
}

/** Returns the CPU time of parsing; wall time would include other processes. Fails on any error but a BrokenHttpError. */
function readingMs(text: string, cut: number): number {
  const begun = process.cpuUsage();
  try {
    read(text.slice(0, cut), text.slice(cut));
  } catch (error) {
    assert.ok(error instanceof BrokenHttpError, String(error));
  }
  return process.cpuUsage(begun).user / 1000;
}

const sized = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\nhello world";
const chunked =
  "HTTP/1.1 201 Created\r\ntransfer-encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n006\r\n world\r\n0\r\nx-sum: 1\r\n\r\n";
const samples = [
  sized,
  chunked,
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${sized}`,
  "HTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.0 200 OK\r\n\r\nuntil the end",
];

describe("ResponseReader", () => {
  it("parses the same however the response is split into pieces", () => {
    for (const text of samples) {
      const whole = read(text);
      const bytewise = read(...text.split(""));

      assert.equal(bytewise.body, whole.body);
      assert.deepEqual(bytewise.reader.head, whole.reader.head);
      for (let cut = 1; cut < text.length; cut += 1) {
        const { body, reader } = read(text.slice(0, cut), text.slice(cut));
        assert.equal(body, whole.body);
        assert.equal(reader.isDone, whole.reader.isDone);
      }
    }
  });

  it("parses a body by its length, by chunks, and to the end of the connection", () => {
    const bySize = read(sized);
    const byChunks = read(chunked);
    const toTheEnd = read("HTTP/1.1 200 OK\r\n\r\nhello world");

    for (const { body } of [bySize, byChunks, toTheEnd]) assert.equal(body, "hello world");
    assert.ok(bySize.reader.isDone && bySize.reader.isKept);
    assert.ok(byChunks.reader.isDone && byChunks.reader.isKept);
    assert.ok(!toTheEnd.reader.isDone && !toTheEnd.reader.isKept);
    assert.ok(toTheEnd.reader.end());
    assert.equal(read(sized.slice(0, -1)).reader.end(), false);
  });

  it("skips interim responses, and expects no body for 204 and 304", () => {
    const { reader, body } = read(samples[2] ?? "");

    assert.equal(reader.head?.status, 200);
    assert.equal(body, "hello world");
    for (const start of ["204 No Content", "304 Not Modified"]) {
      assert.ok(read(`HTTP/1.1 ${start}\r\ncontent-length: 5\r\n\r\n`).reader.isDone);
    }
    assert.ok(read("HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n").reader.isDone);
  });

  it("returns headers by lowercase name, and joins repeated ones", () => {
    const { reader } = read(
      "HTTP/1.1 200 OK\r\nWarning:  299 - a \r\nwarning:299 - b\r\nContent-Length: 0\r\ncontent-length: 0\r\n__proto__: x\r\n\r\n",
    );

    assert.deepEqual(reader.head?.headers, { warning: "299 - a, 299 - b", "content-length": "0" });
  });

  it("knows that a usual response has no warnings without parsing its headers", () => {
    const headOf = (headers: string): ResponseReader["head"] =>
      read(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 0\r\n\r\n`).reader.head;

    const usual = headOf("Audit-Id: a-1\r\nDate: Mon, 16 Nov 2026 11:00:00 GMT\r\n");
    const warning = headOf('WARNING: 299 - "old"\r\n');

    assert.equal(usual?.mayWarn, false);
    assert.deepEqual(usual?.headers, {
      "audit-id": "a-1",
      date: "Mon, 16 Nov 2026 11:00:00 GMT",
      "content-length": "0",
    });
    assert.notEqual(warning?.mayWarn, false);
    assert.equal(warning?.headers["warning"], '299 - "old"');
  });

  it("parses a head the same whether or not it is in the usual form", () => {
    const usual = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A: b\r\n\r\nabc";
    const unusual = ["content-length:  3", "Content-Length: 3 ", "content-length:3", "CONTENT-LENGTH: 003"];

    for (const line of unusual) {
      const { reader, body } = read(usual.replace("Content-Length: 3", line));

      assert.equal(body, "abc", line);
      assert.ok(reader.isDone && reader.isKept, line);
      assert.equal(reader.head?.headers["x-a"], "b", line);
    }
  });

  it("knows whether the connection can be reused", () => {
    const isKept = (version: string, connection: string): boolean =>
      read(`HTTP/${version} 200 OK\r\n${connection}content-length: 0\r\n\r\n`).reader.isKept;

    assert.ok(isKept("1.1", ""));
    assert.ok(!isKept("1.1", "Connection: Close\r\n"));
    assert.ok(!isKept("1.1", "Connection: upgrade, close\r\n"));
    assert.ok(!isKept("1.0", ""));
    assert.ok(isKept("1.0", "connection: keep-alive\r\n"));
  });

  it("refuses malformed and ambiguous responses", () => {
    const head = "HTTP/1.1 200 OK\r\n";
    const refused = [
      "SSH-2.0-x\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
      `${head}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
      `${head}content-length: -1\r\n\r\n`,
      `${head}content-length: 1e3\r\n\r\n`,
      `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
      `${head}transfer-encoding: gzip, chunked\r\n\r\n`,
      `${head}no colon\r\n\r\n`,
      `${head}a: b\r\n folded: c\r\n\r\n`,
      `${head}a : b\r\n\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\nxyz\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\n-5\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\n5\nhello`,
      `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello!\r\n`,
      `${sized}more`,
      `${head}${`x: ${"y".repeat(1000)}\r\n`.repeat(70)}\r\n`,
      `${head}x: ${"y".repeat(70_000)}`,
      `${head}transfer-encoding: chunked\r\n\r\n5;${"y".repeat(5000)}`,
      `${head}transfer-encoding: chunked\r\n\r\n0\r\n${"x: y\r\n".repeat(1000)}`,
      `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(17)}${sized}`,
    ];

    for (const text of refused) assert.throws(() => read(text), BrokenHttpError, text.slice(0, 100));
  });

  it("parses any bytes or throws a BrokenHttpError, quickly, and never changes Object.prototype", () => {
    let state = 12_345;
    const random = (below: number): number => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % below;
    };
    const splices = [
      "\r\n",
      "\r\n\r\n",
      "0",
      "ffffffffffff",
      ":",
      "__proto__: x\r\n",
      "content-length: 9\r\n",
      "\n",
      " ",
    ];
    const prototype = Object.getOwnPropertyNames(Object.prototype).length;

    for (let i = 0; i < inputCount(100_000); i += 1) {
      let text = samples[random(samples.length)] ?? "";
      for (let changes = random(4); changes >= 0; changes -= 1) {
        const at = random(text.length + 1);
        const put = random(2) === 0 ? (splices[random(splices.length)] ?? "") : String.fromCharCode(random(256));
        text = text.slice(0, at) + put + text.slice(at + random(6));
      }
      const cut = random(text.length + 1);
      // Slow input is measured again: a garbage collection or a compilation may have interrupted the first measurement.
      if (readingMs(text, cut) >= 100) assert.ok(readingMs(text, cut) < 100, JSON.stringify(text));
    }

    assert.equal(Object.getOwnPropertyNames(Object.prototype).length, prototype);
  });
});
