import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { ServerCertificates } from "@homeostat/apiserver";
import { recordingOf } from "../testing/recordings.ts";
import { readStats } from "./snapshot.ts";
import { type MasterAddress, podWeb, type WebResponse } from "./web-api.ts";

async function withMaster<T>(
  listener: RequestListener,
  work: (address: MasterAddress, server: Server) => Promise<T>,
  server: Server = createServer(),
  isTls = false,
): Promise<T> {
  server.on("request", listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await work({ namespace: "shop", pod: "m", ip: "127.0.0.1", port, basePath: "", isTls }, server);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

function send(address: MasterAddress, signal: AbortSignal = new AbortController().signal): Promise<WebResponse> {
  return podWeb().send(address, { method: "GET", path: "/stats/requests", signal, bodyBytesMax: 4_194_304 });
}

/** Sends a poll to a server with this handler and describes the reading. */
async function readingFrom(listener: RequestListener): Promise<string> {
  const received = await withMaster(listener, (address) => send(address));
  const reading = readStats(received, 0);
  return reading.type === "snapshot" ? `snapshot ${reading.snapshot.state}` : `${reading.type}: ${reading.message}`;
}

describe("podWeb", () => {
  it("sends a request below the base path and returns the response", async () => {
    const { body } = recordingOf("2.46.7").states.running;
    const requests: unknown[] = [];
    const reading = await withMaster(
      (request, response) => {
        requests.push(request.method, request.url);
        response.setHeader("content-type", "application/json").end(body);
      },
      async (address) => readStats(await send({ ...address, basePath: "/locust" }), 5),
    );

    assert.deepEqual(requests, ["GET", "/locust/stats/requests"]);
    assert.equal(reading.type === "snapshot" && reading.snapshot.userCount, 6);
  });

  it("uses TLS without verifying the certificate", async () => {
    const { cert, key } = new ServerCertificates({ hosts: ["somewhere.else"] }).server;
    const { body } = recordingOf("2.46.7").states.stopped;
    const received = await withMaster(
      (_, response) => response.end(body),
      (address) => send(address),
      createTlsServer({ cert, key }),
      true,
    );

    assert.equal(received.type === "response" && received.status, 200);
  });

  it("connects to the resolved address of a pod", async () => {
    const received = await withMaster(
      (_, response) => response.end("{}"),
      ({ port, ...address }) =>
        podWeb((ip, podPort) => (ip === "10.1.2.3" && podPort === 8089 ? { host: "127.0.0.1", port } : undefined)).send(
          { ...address, ip: "10.1.2.3", port: 8089 },
          { method: "GET", path: "/", signal: new AbortController().signal, bodyBytesMax: 1_024 },
        ),
    );

    assert.equal(received.type, "response");
  });

  it("reports a login for redirects and HTML pages", async () => {
    const page = recordingOf("2.47.0").login;
    const login = "login: The master's web interface requires a login";

    for (const status of [301, 302, 303, 307, 401])
      assert.equal(
        await readingFrom((_, response) => response.writeHead(status, { location: "/login" }).end()),
        login,
        String(status),
      );
    assert.equal(
      await readingFrom((_, response) => response.setHeader("content-type", page?.contentType ?? "").end(page?.body)),
      login,
      "as recorded",
    );
    assert.equal(await readingFrom((_, response) => response.end("<!doctype html><p>hi")), login, "without a type");
  });

  it("fails for garbage, an error, an empty response or a closed connection", async () => {
    assert.match(await readingFrom((_, response) => response.end("\u0000\uFFFF{]")), /^failure: .*expected JSON/);
    assert.equal(
      await readingFrom((_, response) => response.writeHead(500).end("<h1>no")),
      "failure: responded with status 500",
    );
    assert.match(await readingFrom((_, response) => response.end()), /^failure: /);
    assert.match(await readingFrom((request) => request.socket.destroy()), /^failure: /);
    assert.match(
      await readingFrom((_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("{", () => response.destroy());
      }),
      /^failure: /,
    );
  });

  it("stops reading at the size limit of the request", async () => {
    const piece = Buffer.alloc(1 << 20, " ");
    const reading = await readingFrom((_, response) => {
      response.on("error", () => undefined);
      for (let index = 0; index < 10; index += 1) response.write(piece);
      response.end();
    });

    assert.equal(reading, "failure: sent a response that is too large");
  });

  it("fails when the master switches to another protocol", async () => {
    const reading = await readingFrom((request) => {
      request.socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n");
    });

    assert.equal(reading, "failure: switched to another protocol");
  });

  it("stops when the signal aborts, also in the middle of a response", async () => {
    for (const begins of [false, true]) {
      const stop = new AbortController();
      const received = await withMaster(
        (_, response) => {
          if (begins) response.write("{");
          setImmediate(() => stop.abort());
        },
        (address) => send(address, stop.signal),
      );

      assert.equal(received.type, "failure", `begins ${begins}`);
    }
  });

  it("returns a failure and does not throw if nothing listens or the address is invalid", async () => {
    const unreachable = { namespace: "shop", pod: "m", ip: "127.0.0.1", port: 1, basePath: "", isTls: false };

    for (const address of [
      unreachable,
      { ...unreachable, basePath: "/a b\r\nx: y" },
      { ...unreachable, ip: "not an address" },
    ])
      assert.equal((await send(address)).type, "failure", JSON.stringify(address));
  });
});
