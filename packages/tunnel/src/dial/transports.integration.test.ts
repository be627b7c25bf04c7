import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { after, before, describe, it } from "node:test";
import { systemClock as clock } from "@homeostat/core";
import { acceptTunnel } from "../attach/accept-tunnel.ts";
import { CarrierServer } from "../carrier/accept-carriers.ts";
import { AttachRefusedError, TunnelUnreachableError } from "../errors.ts";
import { MachineKey } from "../handshake/machine-key.ts";
import { acceptStream } from "../streams/accept-stream.ts";
import { openStream } from "../streams/open-stream.ts";
import { spliceSocket } from "../splice/splice-socket.ts";
import { serverCertificate } from "../testing/server-certificate.ts";
import { connectThroughProxy } from "./connect-through-proxy.ts";
import { dialTunnel, type DialTunnelOptions } from "./dial-tunnel.ts";
import { type TransportName, transportNames } from "../handshake/protocol-names.ts";

const { certificate, caSha256 } = serverCertificate();
const key = MachineKey.generate();
const workload = { namespace: "shop", name: "jane-orders", uid: "u-1" };

async function listen(onSocket: (socket: Socket) => void): Promise<{ readonly port: number; close(): void }> {
  const server = createServer({ allowHalfOpen: true }, onSocket).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { port: address.port, close: () => server.close() };
}

describe("transports of a tunnel", () => {
  let port = 0;
  let echoPort = 0;
  const used: string[] = [];
  const closers: (() => void)[] = [];
  const server = new CarrierServer({
    certificate,
    randomBytes,
    onCarrier: ({ carrier, certificateSha256, transport, remoteAddress }) => {
      used.push(transport);
      assert.match(remoteAddress, /127\.0\.0\.1$/);
      void acceptTunnel({
        carrier,
        clock,
        certificateSha256,
        nonce: () => randomBytes(32).toString("base64url"),
        authorize: ({ key: publicKey }) =>
          Promise.resolve(
            publicKey === key.publicKey
              ? { isAllowed: true, tunnelId: "t-1", epoch: 1, routingKey: "k", isActive: true }
              : { isAllowed: false, reason: "Denied", isRetryable: false },
          ),
        onStream: (stream) =>
          acceptStream(stream, {
            clock,
            expected: "out",
            onOffer: (offer) => {
              const socket = connect({ port: echoPort, host: "127.0.0.1", allowHalfOpen: true });
              spliceSocket(offer.connect(), socket);
            },
          }),
        onEnd: () => undefined,
      });
    },
  });

  before(async () => {
    port = await server.listen({ host: "127.0.0.1", port: 0 });
    const echo = await listen((socket) => socket.pipe(socket));
    echoPort = echo.port;
    closers.push(() => echo.close());
  });
  after(() => {
    server.close();
    for (const close of closers) close();
  });

  const dial = (overrides: Partial<DialTunnelOptions> = {}): ReturnType<typeof dialTunnel> =>
    dialTunnel({
      clock,
      randomBytes,
      signal: AbortSignal.timeout(20_000),
      address: `127.0.0.1:${port}`,
      trust: { caSha256 },
      connect: () => Promise.resolve(connect({ port, host: "127.0.0.1" })),
      key,
      workload,
      client: { version: "0.1.0", host: "laptop" },
      onStream: (stream) => stream.reset(),
      onEnd: () => undefined,
      ...overrides,
    });

  for (const transport of transportNames) {
    it(`carries 3 MB in both directions over ${transport}`, async () => {
      const tunnel = await dial({ transports: [transport] });
      assert.equal(tunnel.transport, transport);
      assert.equal(used.at(-1), transport === "kube" ? "tls" : transport);
      const sent = randomBytes(3 * 1024 * 1024);
      let closed: () => void = () => undefined;
      const untilClosed = new Promise<void>((resolve) => (closed = resolve));
      const chunks: Buffer[] = [];
      const stream = openStream(
        tunnel.session,
        { t: "out", dst: "orders.shop.svc:80" },
        { clock, onAnswer: (failure) => assert.equal(failure, undefined) },
      );
      stream.handle({
        data: (chunk) => {
          chunks.push(Buffer.from(chunk));
          stream.consumed(chunk.length);
        },
        ended: () => undefined,
        drained: () => undefined,
        closed: () => closed(),
      });
      stream.write(sent);
      stream.end();
      await untilClosed;

      assert.ok(Buffer.concat(chunks).equals(sent));
      tunnel.leave();
    });
  }

  it("passes an HTTP proxy, and reports what the proxy refuses", async () => {
    const requests: string[] = [];
    const proxy = await listen((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (head: Buffer) => {
        requests.push(head.toString());
        if (requests.length > 1) return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
        const target = connect({ port, host: "127.0.0.1" });
        target.on("error", () => undefined);
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(target).pipe(socket);
        // pipe() passes on ends and not resets.
        socket.on("close", () => target.destroy());
        target.on("close", () => socket.destroy());
        return undefined;
      });
    });
    closers.push(() => proxy.close());
    const through = async (_transport: TransportName, signal: AbortSignal): Promise<Socket> => {
      const connection = connect({ port: proxy.port, host: "127.0.0.1" });
      await connectThroughProxy({ connection, target: "tunnel.example.com:443", credentials: "u:p", signal });
      return connection;
    };

    (await dial({ connect: through, transports: ["wss"] })).leave();
    await assert.rejects(
      dial({ connect: through, transports: ["wss"] }),
      /the proxy refused the connection: HTTP\/1.1 407/,
    );

    assert.match(requests[0] ?? "", /^CONNECT tunnel\.example\.com:443 HTTP\/1\.1\r\n.*Basic dTpw/s);
  });

  it("tries the next transport when one does not work, and says why each failed", async () => {
    const only = (name: TransportName) => (transport: TransportName) =>
      transport === name
        ? Promise.resolve(connect({ port, host: "127.0.0.1" }))
        : Promise.reject(new Error(`no ${transport} here`));

    const tunnel = await dial({ connect: only("h2") });
    assert.equal(tunnel.transport, "h2");
    tunnel.leave();

    await assert.rejects(
      dial({ connect: (transport) => Promise.reject(new Error(`no ${transport} here`)) }),
      (error) => {
        assert.ok(error instanceof TunnelUnreachableError);
        assert.match(error.message, /tls: no tls here; wss: no wss here; h2: no h2 here; kube: no kube here/);
        return error.retryable;
      },
    );
  });

  it("does not try another transport after a refusal", async () => {
    const count = used.length;

    await assert.rejects(dial({ key: MachineKey.generate() }), (error) => error instanceof AttachRefusedError);

    assert.equal(used.length - count, 1);
  });

  it("ends an attempt to a server that does not respond", async () => {
    // Its sockets are half-open, so they close only if the server ends them as well.
    const silent = await listen((socket) => {
      socket.on("error", () => undefined).on("end", () => socket.end());
      socket.resume();
    });
    closers.push(() => silent.close());
    const connections: Socket[] = [];

    const dialed = dial({
      connectMs: 50,
      transports: ["tls", "wss"],
      connect: () => {
        const socket = connect({ port: silent.port, host: "127.0.0.1" });
        connections.push(socket);
        return Promise.resolve(socket);
      },
    });

    await assert.rejects(dialed, (error) => error instanceof TunnelUnreachableError && error.attempts.length === 2);
    assert.ok(connections.every((socket) => socket.destroyed));
  });

  it("ends a handshake that the server does not continue when the signal aborts", async () => {
    const stop = new AbortController();
    const reason = new Error("the network has changed");
    const silent = new CarrierServer({
      certificate,
      randomBytes,
      onCarrier: ({ carrier }) => {
        carrier.start({ bytes: () => stop.abort(reason), flushed: () => undefined, closed: () => undefined });
      },
    });
    const silentPort = await silent.listen({ host: "127.0.0.1", port: 0 });
    closers.push(() => silent.close());
    const from = clock.monotonic();

    await assert.rejects(
      dial({ signal: stop.signal, connect: () => Promise.resolve(connect({ port: silentPort, host: "127.0.0.1" })) }),
      reason,
    );

    // The time limit of the handshake is 10 s.
    assert.ok(clock.monotonic() - from < 5_000);
  });

  describe("trust", () => {
    const dialOther = async (other: ReturnType<typeof serverCertificate>, pin: string): Promise<void> => {
      const impostor = new CarrierServer({
        certificate: other.certificate,
        randomBytes,
        onCarrier: ({ carrier, certificateSha256 }) =>
          void acceptTunnel({
            carrier,
            clock,
            certificateSha256,
            nonce: () => "n",
            authorize: () =>
              Promise.resolve({ isAllowed: true, tunnelId: "t", epoch: 1, routingKey: "k", isActive: true }),
            onStream: () => undefined,
            onEnd: () => undefined,
          }),
      });
      const otherPort = await impostor.listen({ host: "127.0.0.1", port: 0 });
      try {
        const connectOther = (): Promise<Socket> => Promise.resolve(connect({ port: otherPort, host: "127.0.0.1" }));
        const tunnel = await dial({ transports: ["tls"], trust: { caSha256: pin }, connect: connectOther });
        tunnel.leave();
      } finally {
        impostor.close();
      }
    };

    it("is refused to a server of another authority with the same names", async () => {
      await assert.rejects(dialOther(serverCertificate(), caSha256), /the pinned authority did not issue it/);
    });

    it("is refused to another server of the same authority", async () => {
      const other = serverCertificate({ hosts: ["sandbox-routeserver.sandbox-system.svc"] });

      await assert.rejects(dialOther(other, other.caSha256), /it is not for sandbox-tunnel/);
    });

    it("does not depend on the clock of the machine", async () => {
      const past = { validFrom: new Date("2001-01-01T00:00:00Z"), validUntil: new Date("2002-01-01T00:00:00Z") };
      const future = { validFrom: new Date("2091-01-01T00:00:00Z"), validUntil: new Date("2092-01-01T00:00:00Z") };

      for (const period of [past, future]) {
        const other = serverCertificate(period);
        await dialOther(other, other.caSha256);
      }
    });
  });

  for (const [name, request, status] of [
    ["a plain request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 426],
    ["another path", "GET /v2 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 404],
    ["another upgrade", "GET /v1/tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 426],
    [
      "no key",
      "GET /v1/tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
      400,
    ],
    [
      "another version",
      "GET /v1/tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n\r\n",
      426,
    ],
    [
      "another sub-protocol",
      "GET /v1/tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: chat\r\n\r\n",
      400,
    ],
  ] as const) {
    it(`answer ${name} on HTTP/1.1 with status ${status}`, async () => {
      const socket = connectTls({ port, host: "127.0.0.1", ALPNProtocols: ["http/1.1"], rejectUnauthorized: false });
      await once(socket, "secureConnect");
      socket.write(request);
      let text = "";
      for await (const chunk of socket) text += String(chunk);

      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `));
    });
  }
});
