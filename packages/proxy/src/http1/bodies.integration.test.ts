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

  it("of responses stay unchanged while several clients read slowly", async () => {
    await using stand = await startStand();
    const length = 4 * mib;
    // Each response has other bytes, so that a buffer which is used too early is noticed.
    const bodies = Array.from({ length: 4 }, (_, index) =>
      Buffer.from(Uint8Array.from({ length }, (__, at) => (at * (2 * index + 3) + (at >> 9)) & 0xff)),
    );

    await Promise.all(
      bodies.map(async (body) => {
        const { client, upstream } = await stand.exchange("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        client.socket.removeAllListeners("data");
        const received: Buffer[] = [];
        // The head, with the header that the proxy adds.
        let missing = length + "HTTP/1.1 200 OK\r\ncontent-length: 4194304\r\n".length;
        missing += "x-sandbox-route: baseline; reason=no-entry\r\n\r\n".length;
        const end = new Promise<void>((resolve) => {
          client.socket.on("data", (part: Buffer) => {
            received.push(part);
            missing -= part.length;
            if (missing <= 0) resolve();
            client.socket.pause();
            setImmediate(() => client.socket.resume());
          });
        });
        upstream.send(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
        upstream.socket.write(body);
        await end;
        const whole = Buffer.concat(received);
        assert.ok(whole.subarray(whole.length - length).equals(body));
      }),
    );
  });
});
