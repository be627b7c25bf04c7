import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startStand } from "../testing/stand.ts";

const get = "GET /a?b=1 HTTP/1.1\r\nHost: cart\r\nX-One: 1\r\n\r\n";
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

describe("Http1Engine", () => {
  it("forwards a request and its response, with the changes of the plan", async () => {
    await using stand = await startStand();

    const { client, upstream, head } = await stand.exchange(
      "GET /a?b=1 HTTP/1.1\r\nHost: cart\r\nConnection: keep-alive\r\nX-One: 1\r\nVia: 1.0 edge\r\n\r\n",
    );
    upstream.send("HTTP/1.1 200 Fine\r\nKeep-Alive: timeout=5\r\nX-Two: 2\r\nContent-Length: 2\r\n\r\nok");
    const response = await client.until("ok");

    assert.equal(head, "GET /a?b=1 HTTP/1.1\r\nHost: cart\r\nX-One: 1\r\nvia: 1.1 sandbox-proxy\r\n\r\n");
    assert.equal(
      response,
      "HTTP/1.1 200 Fine\r\nX-Two: 2\r\nContent-Length: 2\r\nx-sandbox-route: baseline; reason=no-entry\r\n\r\nok",
    );
  });

  it("uses one connection to the upstream for several requests of several clients", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);
    upstream.send(ok);
    await client.until("ok");

    client.send(get);
    await upstream.until("\r\n\r\n");
    upstream.send(ok);
    await client.until("ok");
    const other = await stand.connect();
    other.send(get);
    await upstream.until("\r\n\r\n");
    upstream.send(ok);
    await other.until("ok");

    assert.equal(stand.upstream.connections, 1);
    assert.deepEqual(
      stand.ends.map(({ status, method }) => [status, method]),
      [
        [200, "GET"],
        [200, "GET"],
        [200, "GET"],
      ],
    );
  });

  it("answers pipelined requests in order", async () => {
    await using stand = await startStand();
    const post = "POST /p HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc";
    const { client, upstream, head } = await stand.exchange(get + post + get.replace("/a", "/last"));

    assert.match(head, /^GET \/a/);
    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst");
    await client.until("first");
    assert.match(await upstream.until("abc"), /^POST \/p /);
    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond");
    await client.until("second");
    assert.match(await upstream.until("\r\n\r\n"), /^GET \/last/);
    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nthird");
    await client.until("third");
  });

  it("forwards chunks and trailers as they are", async () => {
    await using stand = await startStand();
    const body = "5;a=b\r\nhello\r\n0\r\nx-trailer: 1\r\n\r\n";

    const { client, upstream, head } = await stand.exchange(
      `POST / HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: Chunked\r\n\r\n${body}`,
    );
    assert.match(head, /\r\ntransfer-encoding: chunked\r\n/);
    assert.equal(await upstream.until("x-trailer: 1\r\n\r\n"), body);
    upstream.send(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`);
    const response = await client.until("x-trailer: 1\r\n\r\n");

    assert.ok(response.endsWith(`transfer-encoding: chunked\r\n\r\n${body}`), response);
    // The connection goes on.
    client.send(get);
    await upstream.until("\r\n\r\n");
  });

  it("forwards 100-continue and the final response", async () => {
    await using stand = await startStand();
    const { client, upstream, head } = await stand.exchange(
      "PUT / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n",
    );

    assert.match(head, /expect: 100-continue/);
    upstream.send("HTTP/1.1 100 Continue\r\n\r\n");
    assert.equal(await client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("body");
    await upstream.until("body");
    upstream.send("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");
    assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 201 /);
  });

  it("knows responses without a body", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n");
    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n");
    assert.match(await client.until("\r\n\r\n"), /content-length: 100/);

    for (const status of [204, 304]) {
      client.send(get);
      await upstream.until("\r\n\r\n");
      upstream.send(`HTTP/1.1 ${status} X\r\netag: 1\r\n\r\n`);
      assert.match(await client.until("\r\n\r\n"), new RegExp(`^HTTP/1.1 ${status} `));
    }
    client.send(get);
    await upstream.until("\r\n\r\n");
    upstream.send(ok);
    await client.until("ok");
    assert.equal(stand.upstream.connections, 1);
  });

  it("ends a response that ends with the connection", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);

    upstream.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
    upstream.socket.end();

    const response = await client.untilEnd();
    assert.match(response, /connection: close\r\n\r\nuntil the end$/);
  });

  it("closes the connection if the client asks for it", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");

    upstream.send(ok);

    assert.match(await client.untilEnd(), /connection: close\r\n\r\nok$/);
    assert.equal(stand.engine.pool.size, 1);
  });

  it("removes chunks from the response to HTTP/1.0", async () => {
    await using stand = await startStand();
    const { client, upstream, head } = await stand.exchange("GET / HTTP/1.0\r\n\r\n");

    assert.match(head, new RegExp(`^GET / HTTP/1.1\r\n.*host: ${stand.upstream.address}\r\n`, "s"));
    upstream.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");

    const response = await client.untilEnd();
    assert.match(response, /connection: close\r\n\r\nabcde$/);
    assert.doesNotMatch(response, /transfer-encoding/);
  });

  it("tunnels an upgrade that the upstream accepts, and half-closes", async () => {
    await using stand = await startStand();
    const { client, upstream, head } = await stand.exchange(
      "GET /ws HTTP/1.1\r\nhost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );

    assert.match(head, /Upgrade: websocket\r\nconnection: upgrade\r\n/);
    upstream.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello");
    assert.match(await client.until("hello"), /upgrade: websocket\r\nconnection: upgrade\r\n\r\nhello$/);
    client.send("ping");
    await upstream.until("ping");
    client.socket.end();
    await upstream.untilEnd();
    upstream.send("last words");
    upstream.socket.end();
    assert.equal(await client.untilEnd(), "last words");
    await client.untilClosed();
    assert.deepEqual(stand.failures, []);
  });

  it("goes on with HTTP if the upstream refuses an upgrade", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(
      `GET /ws HTTP/1.1\r\nhost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${get}`,
    );

    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno");
    await client.until("no");

    // On another connection: the upstream could still expect the other protocol on the first one.
    assert.match(await (await stand.upstream.next()).until("\r\n\r\n"), /^GET \/a/);
  });

  it("refuses 101 without a request to upgrade, and upgrades to HTTP/2", async () => {
    await using stand = await startStand();
    const { client, upstream, head } = await stand.exchange(
      "GET / HTTP/1.1\r\nhost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    );

    assert.doesNotMatch(head, /upgrade/i);
    upstream.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n");

    assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 502 /);
    assert.deepEqual(stand.failures, ["upstream_invalid"]);
  });

  it("forwards an early response, and closes the connection after it", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\npart");

    upstream.send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");

    assert.match(await client.untilEnd(), /connection: close\r\n\r\nno$/);
    await upstream.untilEnd();
  });

  it("passes connections on that are not HTTP", async () => {
    await using stand = await startStand();
    const client = await stand.connect();

    client.socket.write(Buffer.from([0x16, 0x03, 0x01, 0x00]));
    const upstream = await stand.upstream.next();
    await upstream.until("\x16\x03\x01\x00");
    upstream.send("reply");

    await client.until("reply");
  });
});
