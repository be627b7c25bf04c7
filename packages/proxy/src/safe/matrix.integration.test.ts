import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, type ServerHttp2Stream } from "node:http2";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import { bodyOf, type EngineName, fetchH2, Loopback, type LoopbackOptions } from "../testing/loopback.ts";
import { forwardTo, respondWith } from "../testing/plans.ts";

/** Responds with the body of the request, its trailers, and what the upstream saw of its head. */
async function echo(stream: ServerHttp2Stream, headers: Record<string, unknown>): Promise<void> {
  let trailers = {};
  stream.on("trailers", (one) => (trailers = { "x-echo": one["x-checksum"] ?? "" }));
  const body = await bodyOf(stream);
  if (stream.destroyed) return;
  stream.respond(
    { ":status": 200, "x-method": String(headers[":method"]), "x-path": String(headers[":path"]) },
    { waitForTrailers: true },
  );
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", ...trailers }));
  stream.end(body);
}

const isFull = process.env["HOMEOSTAT_FULL"] !== undefined;

for (const engine of ["http2", "safe"] as const satisfies readonly EngineName[]) {
  const start = async (options: Omit<LoopbackOptions, "engine">): Promise<Loopback> =>
    new Loopback({ engine, ...options }).start();

  describe(`protocol matrix of HTTP/2: ${engine} engine`, () => {
    it("forwards unary calls with trailers in both directions", async () => {
      await using proxy = await start({ onStream: (stream, headers) => void echo(stream, headers) });
      const client = proxy.connect();

      for (let call = 0; call < 5; call += 1) {
        const { headers, trailers, body } = await fetchH2(
          client,
          { ":method": "POST", ":path": `/pkg.Svc/Get?${call}`, te: "trailers", "content-type": "application/grpc" },
          Buffer.from(`request ${call}`),
          { "x-checksum": `c${call}` },
        );

        assert.equal(headers[":status"], 200);
        assert.equal(headers["x-method"], "POST");
        assert.equal(headers["x-path"], `/pkg.Svc/Get?${call}`);
        assert.equal(body.toString(), `request ${call}`);
        assert.equal(trailers["grpc-status"], "0");
        assert.equal(trailers["x-echo"], `c${call}`);
      }
    });

    it("ends the stream with the head of a response that has only trailers", async () => {
      await using proxy = await start({
        onStream: (stream) => stream.respond({ ":status": 200, "grpc-status": "9" }, { endStream: true }),
      });
      const stream = proxy.connect().request({ ":method": "POST", ":path": "/", "content-type": "application/grpc" });
      stream.end("x");

      const [headers, flags] = (await once(stream, "response")) as [Record<string, unknown>, number];
      stream.resume();
      await once(stream, "close");

      assert.equal(headers["grpc-status"], "9");
      assert.equal(flags & constants.NGHTTP2_FLAG_END_STREAM, constants.NGHTTP2_FLAG_END_STREAM);
    });

    it("applies the edits of the plan", async () => {
      await using proxy = await start({
        onStream: (stream, headers) => {
          stream.respond(
            {
              ":status": 204,
              "x-seen": JSON.stringify([
                headers[":path"],
                headers["x-gone"] ?? null,
                headers["via"],
                headers[":authority"],
              ]),
            },
            { endStream: true },
          );
        },
        route: (_request, target) =>
          forwardTo([target], "/new", {
            edits: { remove: ["x-gone"], set: [["via", "1.1 sandbox-proxy"]] },
            responseHeaders: [["x-sandbox-route", "baseline"]],
          }),
      });

      const { headers } = await fetchH2(proxy.connect(), {
        ":path": "/old",
        ":authority": "cart.shop",
        "x-gone": "1",
        via: "1.0 other",
      });

      assert.equal(headers[":status"], 204);
      assert.equal(headers["x-seen"], JSON.stringify(["/new", null, "1.1 sandbox-proxy", "cart.shop"]));
      assert.equal(headers["x-sandbox-route"], "baseline");
    });

    it("streams messages as they arrive, in both directions at once", async () => {
      await using proxy = await start({
        onStream: (stream) => {
          stream.respond({ ":status": 200 });
          stream.on("data", (chunk: Buffer) => stream.write(`<${chunk.toString()}>`));
          stream.on("end", () => stream.end());
        },
      });
      const stream = proxy.connect().request({ ":method": "POST", ":path": "/chat" });
      stream.setEncoding("utf8");

      for (let message = 0; message < 20; message += 1) {
        stream.write(`m${message}`);
        const [reply] = await once(stream, "data");
        assert.equal(reply, `<m${message}>`);
      }
      stream.end();
      await once(stream, "close");

      assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
    });

    it("forwards large bodies through small windows", async () => {
      await using proxy = await start({
        onStream: (stream, headers) => void echo(stream, headers),
        upstreamSettings: { initialWindowSize: 1_000 },
      });
      const body = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 251));

      const { body: received } = await fetchH2(
        proxy.connect({ initialWindowSize: 2_000 }),
        { ":method": "POST", ":path": "/" },
        body,
      );

      assert.ok(received.equals(body));
    });

    it("stops an upstream while the client does not read", async () => {
      let written = 0;
      await using proxy = await start({
        onStream: (stream) => {
          stream.respond({ ":status": 200 });
          const more = (): void => {
            while (written < 50_000_000 && !stream.destroyed) {
              written += 65_536;
              if (!stream.write(Buffer.alloc(65_536))) return void stream.once("drain", more);
            }
          };
          more();
        },
      });
      const stream = proxy.connect({ initialWindowSize: 100_000 }).request({ ":path": "/" });
      stream.on("error", () => undefined);
      await once(stream, "response");

      // The source stops when all windows on the way are used up: wait until nothing more is written.
      let before = -1;
      while (before !== written) {
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }

      assert.ok(written < 5_000_000, `${written} bytes were written`);
      const closed = once(stream, "close");
      stream.destroy();
      await closed;
    });

    it("passes a reset of the client on, before and after the response head", async () => {
      for (const isAnswered of [false, true]) {
        const closed: Promise<unknown>[] = [];
        let code = -1;
        await using proxy = await start({
          onStream: (stream) => {
            closed.push(once(stream, "close").then(() => (code = stream.rstCode)));
            if (isAnswered) stream.respond({ ":status": 200 });
          },
        });
        const stream = proxy.connect().request({ ":method": "POST", ":path": "/" });
        stream.on("error", () => undefined);
        if (isAnswered) await once(stream, "response");
        else while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve));

        stream.close(constants.NGHTTP2_CANCEL);
        await Promise.all(closed);

        assert.equal(code, constants.NGHTTP2_CANCEL);
        assert.equal(proxy.balancer.running, 0);
      }
    });

    it("ends a response abnormally if the upstream resets it", async () => {
      await using proxy = await start({
        onStream: (stream) => {
          stream.respond({ ":status": 200 });
          stream.write("part", () => stream.destroy(new Error("broken")));
        },
      });

      const { code, headers } = await fetchH2(proxy.connect(), { ":path": "/" });

      assert.equal(headers[":status"], 200);
      assert.equal(code, constants.NGHTTP2_INTERNAL_ERROR);
    });

    it("finishes requests after a GOAWAY of the upstream, and sends later ones on a new connection", async () => {
      const held: (() => void)[] = [];
      await using proxy = await start({
        onStream: (stream, headers, session) => {
          if (headers[":path"] !== "/first") {
            stream.respond({ ":status": 204 }, { endStream: true });
            return;
          }
          session.goaway(constants.NGHTTP2_NO_ERROR, 1);
          held.push(() => stream.respond({ ":status": 201 }, { endStream: true }));
        },
      });
      const client = proxy.connect();
      const first = fetchH2(client, { ":path": "/first" });
      while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));

      const second = await fetchH2(client, { ":path": "/second" });
      for (const release of held) release();

      assert.equal(second.headers[":status"], 204);
      assert.equal((await first).headers[":status"], 201);
    });

    it("responds itself, to gRPC with trailers only", async () => {
      await using proxy = await start({ onStream: (stream) => stream.close(), route: () => respondWith() });
      const client = proxy.connect();

      const plain = await fetchH2(client, { ":path": "/" });
      const grpc = await fetchH2(
        client,
        { ":method": "POST", ":path": "/", "content-type": "application/grpc" },
        Buffer.from("x"),
      );

      assert.equal(plain.headers[":status"], 503);
      assert.equal(plain.headers["retry-after"], "5");
      assert.equal(plain.body.toString(), "Workload cart is unavailable.\n");
      assert.equal(grpc.headers[":status"], 200);
      assert.equal(grpc.headers["grpc-status"], "14");
      assert.equal(grpc.headers["grpc-message"], "Workload cart is unavailable.");
    });

    it("responds with 502 if no target can be reached", async () => {
      await using proxy = await start({
        onStream: (stream) => stream.close(),
        route: (request) => forwardTo(["127.0.0.1:1"], request.path),
      });

      const { headers } = await fetchH2(proxy.connect(), { ":method": "POST", ":path": "/" }, Buffer.from("x"));

      assert.equal(headers[":status"], 502);
      assert.deepEqual(proxy.observer.failures, ["connect"]);
    });

    it("tunnels extended CONNECT if the upstream announces it", async () => {
      for (const isAnnounced of [true, false]) {
        await using proxy = await start({
          upstreamSettings: { enableConnectProtocol: isAnnounced },
          onStream: (stream) => {
            stream.respond({ ":status": 200 });
            stream.pipe(stream);
          },
        });
        const client = proxy.connect();
        await once(client, "remoteSettings");
        const stream = client.request({
          ":method": "CONNECT",
          ":protocol": "websocket",
          ":scheme": "http",
          ":path": "/ws",
          ":authority": "cart.shop",
        });
        stream.on("error", () => undefined);
        const [headers] = await once(stream, "response");

        assert.equal(headers[":status"], isAnnounced ? 200 : 501);
        if (isAnnounced) {
          stream.write("frame");
          const [chunk] = await once(stream, "data");
          assert.equal(String(chunk), "frame");
        }
        stream.close();
      }
    });

    it("returns random concurrent bodies unchanged", { timeout: 600_000 }, async () => {
      await using proxy = await start({ onStream: (stream, headers) => void echo(stream, headers) });
      const client = proxy.connect();
      const chance = new SeededRandom(7);
      const bodies = Array.from({ length: isFull ? 3_000 : 300 }, () => {
        const body = Buffer.alloc(chance.int(10) === 0 ? 0 : chance.int(200_000));
        for (let at = 0; at < body.length; at += 97) body[at] = chance.int(256);
        return body;
      });
      let next = 0;

      await Promise.all(
        Array.from({ length: 60 }, async () => {
          for (let index = next++; index < bodies.length; index = next++) {
            const body = bodies[index] ?? Buffer.alloc(0);
            const {
              body: received,
              trailers,
              headers,
            } = await fetchH2(client, { ":method": "POST", ":path": `/${index}` }, body);
            assert.ok(received.equals(body), `body ${index}`);
            assert.equal(headers["x-path"], `/${index}`);
            assert.equal(trailers["grpc-status"], "0");
          }
        }),
      );

      assert.deepEqual(proxy.observer.failures, []);
      assert.equal(proxy.balancer.running, 0);
    });
  });
}
