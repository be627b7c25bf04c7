import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { describe, it } from "node:test";
import type { Handler } from "./handler.ts";
import { startTestServer, withTestServer, type TestServer } from "../testing/http-server.ts";

describe("a stream", () => {
  /** Returns a handler that sends a chunk on each call of `send`, until its signal aborts. */
  function ticker(): { handler: Handler; send: (chunk: string) => void; ended: Promise<void>; finish: () => void } {
    let wake: (chunk: string | undefined) => void = () => undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const waiting: (string | undefined)[] = [];
    const put = (chunk: string | undefined): void => {
      waiting.push(chunk);
      wake(undefined);
    };
    async function* chunks(signal: AbortSignal): AsyncGenerator<string> {
      try {
        while (!signal.aborted) {
          while (waiting.length > 0) {
            const chunk = waiting.shift();
            if (chunk === undefined) return;
            yield chunk;
          }
          await new Promise<void>((resolve) => {
            wake = () => resolve();
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
        }
      } finally {
        end();
      }
    }
    const headers = { "Content-Type": "application/json" };
    const handler: Handler = async (_, signal) => ({ status: 200, headers, stream: chunks(signal) });
    return { handler, send: (chunk) => put(chunk), ended, finish: () => put(undefined) };
  }

  it("sends each chunk at once over HTTP/1.1 and HTTP/2", async () => {
    for (const protocol of ["http/1.1", "h2"]) {
      const { handler, send, finish } = ticker();
      await withTestServer(handler, {}, async (api) => {
        const seen: string[] = [];
        const path = "/api/v1/pods?watch=1";
        const read = protocol === "h2" ? readHttp2(api, path, seen) : readHttp1(api, path, seen);
        await read.opened;
        send('{"n":1}\n');
        while (seen.join("") !== '{"n":1}\n') await new Promise((resolve) => setImmediate(resolve));
        send('{"n":2}\n');
        finish();
        await read.closed;

        assert.equal(seen.join(""), '{"n":1}\n{"n":2}\n', protocol);
      });
    }
  });

  it("continues after an empty chunk and sends the same bytes to many clients", async () => {
    const same = Buffer.from("same\n");
    async function* chunks(): AsyncGenerator<Uint8Array | string> {
      yield* [same, new Uint8Array(), "", same, "text\n"];
    }
    await withTestServer(
      async () => ({ status: 200, stream: chunks() }),
      {},
      async (api) => {
        for (let n = 0; n < 2; n += 1) {
          const seen: string[] = [];
          await readHttp1(api, "/api/v1/pods?watch=1", seen).closed;

          assert.equal(seen.join(""), "same\nsame\ntext\n");
        }
      },
    );
  });

  it("aborts the signal when the client disconnects", async () => {
    const { handler, ended, send } = ticker();
    await withTestServer(handler, {}, async (api) => {
      const socket = await api.connect();
      socket.write("GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await new Promise((resolve) => socket.once("data", resolve));
      socket.destroy();
      send("x");

      await ended;
    });
  });

  it("requests no more chunks than the client reads", async () => {
    let produced = 0;
    async function* flood(): AsyncGenerator<Uint8Array> {
      for (;;) {
        produced += 1;
        yield Buffer.alloc(64 * 1024);
      }
    }
    await withTestServer(
      async () => ({ status: 200, stream: flood() }),
      {},
      async (api) => {
        const socket = await api.connect();
        socket.pause();
        socket.write("GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let before = -1;
        for (let still = 0; still < 20;) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          still = produced === before && produced > 0 ? still + 1 : 0;
          before = produced;
        }
        socket.destroy();

        assert.ok(produced < 1_000, `${produced} chunks of 64 KiB`);
      },
    );
  });

  it("ends cleanly when the server stops, and its connection is closed", async () => {
    for (const protocol of ["http/1.1", "h2"]) {
      const { handler } = ticker();
      const api = await startTestServer(handler);
      const path = "/api/v1/pods?watch=1";
      const read = protocol === "h2" ? readHttp2(api, path, []) : readHttp1(api, path, []);
      await read.opened;

      await api.server.stop({ graceMs: 5_000 });

      assert.equal(await read.closed, "ended", protocol);
      await api.close();
    }
  });

  it("is disconnected by HttpServer.cut", async () => {
    for (const protocol of ["http/1.1", "h2"]) {
      const { handler } = ticker();
      await withTestServer(handler, {}, async (api) => {
        const path = "/api/v1/pods?watch=1";
        const read = protocol === "h2" ? readHttp2(api, path, []) : readHttp1(api, path, []);
        await read.opened;
        const count = api.server.cut(({ info }) => info.resource === "pods");

        assert.equal(count, 1);
        assert.equal(await read.closed, "cut", protocol);
      });
    }
  });
});

type Reading = { opened: Promise<void>; closed: Promise<string> };

function readHttp1(api: TestServer, path: string, seen: string[]): Reading {
  let text = "";
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const closed = (async () => {
    const socket = await api.connect();
    socket.on("error", () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return new Promise<string>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        open();
        const body = text.slice(text.indexOf("\r\n\r\n") + 4);
        seen.splice(0, seen.length, body.replace(/[0-9a-f]+\r\n([^\r]*)\r\n/g, "$1"));
        if (body.endsWith("0\r\n\r\n")) socket.end(() => resolve("ended"));
      });
      socket.on("close", () => resolve("cut"));
    });
  })();
  return { opened, closed };
}

function readHttp2(api: TestServer, path: string, seen: string[]): Reading {
  const session = connectHttp2(`https://127.0.0.1:${api.port}`, { ca: api.ca });
  session.on("error", () => undefined);
  const stream = session.request({ ":path": path });
  const opened = new Promise<void>((resolve) => stream.once("response", () => resolve()));
  stream.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
  const closed = new Promise<string>((resolve) => {
    stream.on("end", () => resolve("ended"));
    stream.on("error", () => resolve("cut"));
    stream.on("close", () => session.close());
  });
  stream.end();
  return { opened, closed };
}
