import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type AddressInfo,
  connect as connectSocket,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from "node:net";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { NetworkError, systemClock } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import type { Response } from "../transport/transport.ts";
import { connect, type ConnectOptions } from "./connect.ts";

const closers: (() => void)[] = [];
after(() => {
  for (const close of closers) close();
});

describe("connect", () => {
  it("sends a request with credentials and gives the answer in pieces", async () => {
    const seen: IncomingMessage[] = [];
    const server = await serve((request, response) => {
      seen.push(request);
      response.writeHead(201, { "content-type": "application/json", warning: '299 - "old"' });
      response.write("one ");
      response.end("two");
    });
    const transport = open(server, { token: { data: "secret" } });

    const response = await transport.send({
      method: "POST",
      path: "/api/v1/x?y=1",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });

    assert.equal(response.status, 201);
    assert.equal(response.headers["warning"], '299 - "old"');
    assert.equal(await text(response), "one two");
    assert.equal(seen[0]?.url, "/prefix/api/v1/x?y=1");
    assert.equal(seen[0]?.headers.authorization, "Bearer secret");
    assert.equal(seen[0]?.headers["content-length"], "2");
    assert.equal(seen[0]?.headers["user-agent"], "homeostat");
  });

  it("keeps groups apart when it acts as somebody else", async () => {
    let raw: string[] = [];
    const server = await serve((request, response) => {
      raw = request.rawHeaders;
      response.end();
    });
    const transport = connect({
      ...connectionTo(server),
      impersonate: { user: "jane", uid: undefined, groups: ["a", "b"], extra: new Map([["Scopes", ["x"]]]) },
    });
    closers.push(() => transport.close());

    await text(await transport.send({ method: "GET", path: "/" }));

    const groups = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "impersonate-group");
    assert.deepEqual(groups, ["a", "b"]);
    assert.ok(raw.includes("impersonate-extra-scopes"));
  });

  it("uses one connection for requests that follow each other", async () => {
    let connections = 0;
    const server = await serve((_, response) => response.end("ok"));
    server.on("connection", () => (connections += 1));
    const transport = open(server);

    for (let i = 0; i < 20; i += 1) await text(await transport.send({ method: "GET", path: "/" }));

    assert.equal(connections, 1);
  });

  it("reads the token again after a 401 and sends the request once more, but only if it changed", async () => {
    let token = "old";
    let asked = 0;
    const server = await serve((request, response) => {
      asked += 1;
      response.writeHead(request.headers.authorization === "Bearer new" ? 200 : 401).end();
    });
    const transport = open(server, { token: { path: "/token" } }, { files: { read: () => Promise.resolve(token) } });

    const refused = await transport.send({ method: "GET", path: "/" });
    token = "new";
    const accepted = await transport.send({ method: "GET", path: "/" });

    assert.equal(refused.status, 401);
    assert.equal(accepted.status, 200);
    assert.equal(asked, 3, "one without a retry, then one with");
  });

  it("asks a plugin once for many requests, and again after a 401", async () => {
    let runs = 0;
    const run: NonNullable<ConnectOptions["run"]> = () => {
      runs += 1;
      const status = { token: `t${runs}` };
      return Promise.resolve({
        exitCode: 0,
        stderr: "",
        stdout: JSON.stringify({ kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", status }),
      });
    };
    const server = await serve((request, response) =>
      response
        .writeHead(request.headers.authorization === "Bearer t1" && request.url?.endsWith("late") ? 401 : 200)
        .end(),
    );
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "login",
      args: [],
      env: [],
      provideClusterInfo: false,
      interactiveMode: "Never",
      installHint: undefined,
    } as const;
    const transport = open(server, { exec }, { run });

    await Promise.all([1, 2, 3].map(() => transport.send({ method: "GET", path: "/" })));
    const runsBefore = runs;
    const late = await transport.send({ method: "GET", path: "/late" });

    assert.equal(runsBefore, 1);
    assert.equal(late.status, 200);
    assert.equal(runs, 2);
  });

  it("unpacks gzip", async () => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed ".repeat(1000))),
    );
    const transport = open(server);

    const response = await transport.send({ method: "GET", path: "/", headers: { "accept-encoding": "gzip" } });

    assert.equal(await text(response), "packed ".repeat(1000));
  });

  it("says that nothing was sent when nobody listens", async () => {
    const server = await serve(() => undefined);
    const connection = connectionTo(server);
    await new Promise((resolve) => server.close(resolve));
    const transport = connect(connection);

    await assert.rejects(
      transport.send({ method: "POST", path: "/api/v1/x?token=s3cret", body: "{}" }),
      (error) =>
        error instanceof NetworkError &&
        error.socketCode === "ECONNREFUSED" &&
        error.outcome === "not-applied" &&
        !error.message.includes("s3cret"),
    );
  });

  it("says that the outcome is unknown when the connection breaks before the answer", async () => {
    const server = await serve((request) => request.socket.destroy());
    const transport = open(server);

    await assert.rejects(
      transport.send({ method: "POST", path: "/", body: "{}" }),
      (error) => error instanceof NetworkError && error.outcome === "unknown" && error.retryable,
    );
  });

  it("gives up a server that accepts and then says nothing", async () => {
    const server = await serveTcp(() => undefined);
    const transport = open(server);

    await assert.rejects(
      transport.send({ method: "GET", path: "/", timeouts: { headersMs: 50 } }),
      (error) => error instanceof NetworkError && /50 ms/.test(String(error.cause)),
    );
  });

  it("notices a body that stops in the middle, by time and by a closed connection", async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun");
      if (request.url?.endsWith("/cut") === true) setTimeout(() => request.socket.destroy(), 10);
    });
    const transport = open(server);

    const stuck = await transport.send({ method: "GET", path: "/stuck", timeouts: { idleMs: 50 } });
    await assert.rejects(text(stuck), (error) => error instanceof NetworkError);
    const cut = await transport.send({ method: "GET", path: "/cut" });
    await assert.rejects(text(cut), (error) => error instanceof NetworkError);
  });

  it("stops at once when the signal aborts, before and during the body", async () => {
    const server = await serve((request, response) => {
      if (request.url?.endsWith("/body") === true) response.writeHead(200).write("begun");
    });
    const transport = open(server);
    const reason = new Error("enough");

    const early = new AbortController();
    const waiting = transport.send({ method: "GET", path: "/head", signal: early.signal });
    setTimeout(() => early.abort(reason), 20);
    await assert.rejects(waiting, reason);

    const late = new AbortController();
    const response = await transport.send({ method: "GET", path: "/body", signal: late.signal });
    setTimeout(() => late.abort(reason), 20);
    await assert.rejects(text(response), reason);
    await assert.rejects(transport.send({ method: "GET", path: "/", signal: late.signal }), reason);
  });

  it("leaves no connection behind when the body is given up", async () => {
    let connections = 0;
    const server = await serve((_, response) => response.writeHead(200).write("a watch has no end"));
    server.on("connection", (socket) => {
      connections += 1;
      socket.on("close", () => (connections -= 1));
    });
    const transport = open(server);

    for (let i = 0; i < 10; i += 1) {
      const response = await transport.send({ method: "GET", path: "/", about: { verb: "watch", resource: "pods" } });
      for await (const _ of response.body) break;
    }
    const unread = await transport.send({ method: "GET", path: "/" });
    unread.body.cancel();
    await until(() => connections === 0);
  });

  it("goes through an http proxy, and says when the proxy refuses", async () => {
    const server = await serve((_, response) => response.end("through"));
    const asked: string[] = [];
    const proxy = await serve(() => undefined);
    proxy.on("connect", (request, socket) => {
      asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
      if (request.headers["proxy-authorization"] === undefined) {
        socket.end("HTTP/1.1 407 No\r\n\r\n");
        return;
      }
      const onward = connectSocket(portOf(server), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
    });
    const good = connect({ ...connectionTo(server), proxyUrl: `http://me:pass@127.0.0.1:${portOf(proxy)}` });
    const bad = connect({ ...connectionTo(server), proxyUrl: `http://127.0.0.1:${portOf(proxy)}` });
    closers.push(() => good.close());

    assert.equal(await text(await good.send({ method: "GET", path: "/" })), "through");
    assert.equal(asked[0], `127.0.0.1:${portOf(server)} Basic ${Buffer.from("me:pass").toString("base64")}`);
    await assert.rejects(
      bad.send({ method: "GET", path: "/" }),
      (error) => error instanceof NetworkError && /answered 407/.test(String(error.cause)),
    );
  });

  it("goes through a socks5 proxy", async () => {
    const server = await serve((_, response) => response.end("through"));
    const proxy = await serveTcp((socket) => {
      let step = 0;
      socket.on("data", (bytes: Buffer) => {
        step += 1;
        if (step === 1) socket.write(Buffer.from([5, 0]));
        else if (step === 2) {
          assert.equal(bytes.toString("latin1", 5, 5 + (bytes[4] ?? 0)), "127.0.0.1");
          socket.removeAllListeners("data");
          const onward = connectSocket(portOf(server), "127.0.0.1", () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            onward.pipe(socket).pipe(onward);
          });
        }
      });
    });
    const transport = connect({ ...connectionTo(server), proxyUrl: `socks5://127.0.0.1:${portOf(proxy)}` });
    closers.push(() => transport.close());

    assert.equal(await text(await transport.send({ method: "GET", path: "/" })), "through");
  });
});

function open(
  server: Server | TcpServer,
  identity: Partial<Connection["identity"]> = {},
  options: ConnectOptions = {},
): ReturnType<typeof connect> {
  const connection = connectionTo(server);
  const transport = connect(
    { ...connection, identity: { ...connection.identity, ...identity } },
    { env: {}, ...options },
  );
  closers.push(() => transport.close());
  return transport;
}

function connectionTo(server: Server | TcpServer): Connection {
  return {
    server: `http://127.0.0.1:${portOf(server)}/prefix`,
    tls: { certificateAuthority: undefined, insecureSkipVerify: false, serverName: undefined },
    identity: {
      clientCertificate: undefined,
      clientKey: undefined,
      token: undefined,
      basic: undefined,
      exec: undefined,
    },
    impersonate: undefined,
    proxyUrl: undefined,
    namespace: "default",
  };
}

function portOf(server: Server | TcpServer): number {
  return (server.address() as AddressInfo).port;
}

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

async function serveTcp(handler: (socket: Socket) => unknown): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    handler(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return server;
}

async function text(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !condition(); i += 1) await systemClock.sleep(10);
  assert.ok(condition());
}
