import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { startStand } from "../testing/stand.ts";

const mib = 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, "0123456789abcdef");

describe("Large bodies", () => {
  it("arrive completely, and wait in the client while the upstream does not read", async () => {
    await using stand = await startStand();
    const length = 64 * mib;
    const { client, upstream } = await stand.exchange(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`);
    const received = createHash("sha256");
    let bytes = 0;
    upstream.socket.removeAllListeners("data");
    upstream.socket.pause();
    const sentHash = createHash("sha256");
    for (let sent = 0; sent < length; sent += chunk.length) {
      sentHash.update(chunk);
      client.socket.write(chunk);
    }
    // The proxy stops reading: its buffers and those of the kernel fill up, and the rest stays with the client.
    let before = -1;
    while (client.socket.writableLength !== before) {
      before = client.socket.writableLength;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(before > 32 * mib, `${before} bytes wait in the client`);

    const end = new Promise<void>((resolve) => {
      upstream.socket.on("data", (part: Buffer) => {
        received.update(part);
        bytes += part.length;
        if (bytes === length) resolve();
      });
    });
    upstream.socket.resume();
    await end;

    assert.equal(received.digest("hex"), sentHash.digest("hex"));
    upstream.send("HTTP/1.1 204 No Content\r\n\r\n");
    await client.until("\r\n\r\n");
  });

  it("of responses wait in the upstream while the client does not read", async () => {
    await using stand = await startStand();
    const length = 64 * mib;
    const { client, upstream } = await stand.exchange("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    client.socket.removeAllListeners("data");
    client.socket.pause();
    upstream.send(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
    for (let sent = 0; sent < length; sent += chunk.length) upstream.socket.write(chunk);

    let before = -1;
    while (upstream.socket.writableLength !== before) {
      before = upstream.socket.writableLength;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(before > 32 * mib, `${before} bytes wait in the upstream`);

    let bytes = 0;
    const end = new Promise<void>((resolve) => {
      client.socket.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > length) resolve();
      });
    });
    client.socket.resume();
    await end;
    assert.ok(bytes < length + 1000);
  });
});
