import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawUpstream } from "../testing/raw-upstream.ts";
import { startStand } from "../testing/stand.ts";

const upgrade = "GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
const switched = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

describe("An open WebSocket", () => {
  it("stays with its target when the route changes, and the next one follows the new route", async () => {
    await using other = await RawUpstream.start();
    let targets: readonly string[] | undefined;
    await using stand = await startStand({
      plan: (_, forward) => (targets === undefined ? forward : { ...forward, targets }),
    });
    const { client, upstream } = await stand.exchange(upgrade);
    upstream.send(switched);
    await client.until("\r\n\r\n");

    targets = [other.address];
    stand.engine.retain(new Set(targets));

    client.send("ping");
    await upstream.until("ping");
    upstream.send("pong");
    await client.until("pong");
    const next = await stand.connect();
    next.send(upgrade);
    const newer = await other.next();
    await newer.until("\r\n\r\n");
    newer.send(switched);
    await next.until("\r\n\r\n");
    next.send("hello");
    await newer.until("hello");
    assert.equal(stand.upstream.connections, 1);
  });
});
