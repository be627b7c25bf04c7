// A client and a Service of HTTP/2 on the loopback interface, joined as by `local proxy`.

import assert from "node:assert/strict";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect as connectTcp, createServer as createTcpServer, type Server } from "node:net";
import { after, before, describe, it } from "node:test";
import { joinHttp2 } from "./join-http2.ts";

describe("joined connections of HTTP/2", () => {
  let service: Http2Server;
  let map: Server;
  let client: ClientHttp2Session;
  const received: IncomingHttpHeaders[] = [];
  const errors: Error[] = [];

  before(async () => {
    service = createServer();
    service.on("stream", (stream, headers) => {
      received.push(headers);
      stream.on("error", () => undefined);
      if (headers[":path"] === "/refused")
        return stream.respond({ ":status": 200, "grpc-status": "5" }, { endStream: true });
      if (headers[":path"] === "/reset") return stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      return void stream.pipe(stream);
    });
    const servicePort = await listen(service);
    map = createTcpServer((socket) => {
      const upstream = connectTcp({ port: servicePort, host: "127.0.0.1" });
      upstream.once("connect", () =>
        joinHttp2(socket, upstream, { routingKey: "jane", onError: (error) => errors.push(error) }),
      );
    });
    client = connect(`http://127.0.0.1:${await listen(map)}`);
  });
  after(async () => {
    client.close();
    await once(client, "close");
    await Promise.all([service, map].map((server) => new Promise((resolve) => server.close(resolve))));
  });

  const send = async (path: string, headers: Record<string, string> = {}, body = "ping") => {
    const request: ClientHttp2Stream = client.request({ ":method": "POST", ":path": path, te: "trailers", ...headers });
    let trailers: IncomingHttpHeaders = {};
    let response: IncomingHttpHeaders = {};
    request.on("trailers", (each) => (trailers = each)).on("response", (each) => (response = each));
    request.on("error", () => undefined);
    request.end(body);
    const closed = new Promise<void>((resolve) => request.once("close", resolve));
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await closed;
    return { text, trailers, response, code: request.rstCode };
  };

  it("add the key to requests, and pass bodies and trailers on", async () => {
    const large = "x".repeat(1 << 20);

    const [first, second] = await Promise.all([send("/echo"), send("/echo", { baggage: "a=b" }, large)]);

    assert.equal(first.text, "ping");
    assert.equal(first.trailers["grpc-status"], "0");
    assert.equal(second.text.length, large.length);
    assert.deepEqual(
      received.map((headers) => [headers["x-routing-key"], headers["baggage"], headers["te"], headers[":path"]]),
      [
        ["jane", "routing-key=jane", "trailers", "/echo"],
        ["jane", "a=b,routing-key=jane", "trailers", "/echo"],
      ],
    );
  });

  it("keep a key that a request has", async () => {
    await send("/echo", { "x-routing-key": "other", baggage: "a=b" });

    assert.deepEqual([received.at(-1)?.["x-routing-key"], received.at(-1)?.["baggage"]], ["other", "a=b"]);
  });

  it("pass on responses of trailers only, and resets", async () => {
    const refused = await send("/refused");
    assert.deepEqual([refused.response["grpc-status"], refused.text, refused.code], ["5", "", 0]);

    const reset = await send("/reset");
    assert.equal(reset.code, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    assert.equal((await send("/echo")).text, "ping");
    assert.deepEqual(errors, []);
  });
});

async function listen(server: Http2Server | Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
