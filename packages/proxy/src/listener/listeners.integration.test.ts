import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { ListenError } from "@homeostat/core";
import type { AcceptedConnection, Engine } from "./engine.ts";
import { Listeners } from "./listeners.ts";
import { RawUpstream } from "../testing/raw-upstream.ts";
import { startStand } from "../testing/stand.ts";
import { connected } from "../testing/wire.ts";
import { defaultLimits } from "../limits/limits.ts";
import { connectTcp } from "../upstream/connect.ts";

const get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const router = {
  route: () => {
    throw new Error("not expected");
  },
};

/** An engine that keeps what it accepts. */
class Recorder implements Engine {
  readonly accepted: AcceptedConnection[] = [];
  get size(): number {
    return 0;
  }
  accept(connection: AcceptedConnection): void {
    this.accepted.push(connection);
    connection.socket.resume();
    connection.socket.on("error", () => undefined);
    connection.socket.write("accepted");
  }
  retain(): void {
    // It has no upstreams.
  }

  drain(): void {
    this.close();
  }
  close(): void {
    for (const { socket } of this.accepted) socket.destroy();
  }
}

describe("Listeners", () => {
  it("hand connections to the engine of their protocol, with the bytes that were read", async () => {
    await using stand = await startStand();
    const http2 = new Recorder();
    const { engine: http1 } = stand;
    const observer = { requestEnded: () => undefined, failed: () => undefined };
    const listeners = new Listeners({
      http1,
      http2,
      deadlines: http1.deadlines,
      limits: defaultLimits,
      observer,
      connect: connectTcp,
      host: "127.0.0.1",
    });
    const { port } = await listeners.open({ port: 0, router, baseline: () => undefined });
    const client = await connected(connect({ port, host: "127.0.0.1", noDelay: true }));

    client.send("PRI * HTTP/2.0\r\n");
    client.send("\r\nSM\r\n\r\nframes");
    await client.until("accepted");

    assert.match(http2.accepted[0]?.first.toString() ?? "", /^PRI \* HTTP\/2.0\r\n\r\nSM\r\n\r\n/);
    listeners.close();
    await client.untilClosed();
  });

  it("hand connections of HTTP/1.1 to the translator if the application speaks HTTP/2 only", async () => {
    await using stand = await startStand();
    const translator = new Recorder();
    const { engine: http1 } = stand;
    const observer = { requestEnded: () => undefined, failed: () => undefined };
    const options = { http1, translator, deadlines: http1.deadlines, limits: defaultLimits, observer };
    const listeners = new Listeners({ ...options, connect: connectTcp, host: "127.0.0.1" });
    const { port } = await listeners.open({ port: 0, router, baseline: () => undefined, isHttp2: () => true });
    const client = await connected(connect({ port, host: "127.0.0.1", noDelay: true }));

    client.send(get);
    await client.until("accepted");

    assert.equal(translator.accepted[0]?.protocol, "http1");
    listeners.close();
    await client.untilClosed();
  });

  it("refuse what is not HTTP on a port of HTTP, and pass TLS on", async () => {
    await using stand = await startStand();
    const { port } = await stand.listeners.open({
      port: 0,
      router,
      baseline: () => stand.upstream.address,
      isHttp: () => true,
    });
    const open = () => connected(connect({ port, host: "127.0.0.1", noDelay: true }));

    for (const bytes of [
      "\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
      "GET\t/ HTTP/1.1\r\nhost: a\r\n\r\n",
      "A(B / HTTP/1.1\r\n\r\n",
    ]) {
      const client = await open();
      client.send(bytes);
      assert.match(await client.untilEnd(), /^HTTP\/1\.1 400 /);
      client.socket.destroy();
    }
    const tls = await open();
    tls.send("\x16\x03\x01");

    assert.equal(await (await stand.upstream.next()).until("\x01"), "\x16\x03\x01");
    assert.equal(stand.upstream.connections, 1);
    tls.socket.destroy();
  });

  it("open and close ports while connections stay open", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);

    stand.listeners.closePort(stand.port);

    assert.deepEqual(stand.listeners.ports, []);
    await assert.rejects(stand.connect(), { code: "ECONNREFUSED" });
    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    await client.until("ok");
    client.send(get);
    await upstream.until("\r\n\r\n");
  });

  it("report a port that is in use", async () => {
    await using stand = await startStand();
    await using other = await RawUpstream.start();
    const port = Number(other.address.split(":")[1]);

    await assert.rejects(stand.listeners.open({ port, router, baseline: () => undefined }), ListenError);
    assert.ok(!stand.listeners.ports.includes(port));
  });

  it("refuse connections above the limit", async () => {
    await using stand = await startStand({ limits: { connectionsMax: 2 } });
    const first = await stand.exchange(get);
    await stand.connect();
    const third = await stand.connect();

    await third.untilEnd();
    assert.deepEqual(stand.failures, ["too_many_connections"]);
    first.client.socket.destroy();
    await first.client.untilClosed();
  });

  it("pass on connections that send nothing, if the protocol of the port is unknown", async () => {
    await using stand = await startStand();
    await using baseline = await RawUpstream.start();
    const { port } = await stand.listeners.open({ port: 0, router, baseline: () => baseline.address, silentMs: 1_000 });
    const client = await connected(connect({ port, host: "127.0.0.1", noDelay: true }));

    await stand.clock.advance(1_250);
    const accepted = await baseline.next();
    accepted.send("220 mail.example.com");
    await client.until("220 mail.example.com");
    client.send("EHLO");
    await accepted.until("EHLO");

    client.socket.end();
    await accepted.untilEnd();
    accepted.socket.destroy();
    await client.untilClosed();
  });

  it("close connections that send nothing", async () => {
    await using stand = await startStand();
    const client = await stand.connect();
    const answered = await stand.exchange(get);
    answered.upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    await answered.client.until("ok");

    await stand.clock.advance(11_000);

    await client.untilEnd();
  });
});
