import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { freePorts } from "./free-ports.ts";

describe("free ports", () => {
  it("differ, and can be listened on at once", async () => {
    const ports = await freePorts(3);

    assert.equal(new Set(ports).size, 3);
    for (const port of ports) {
      const server = createServer().listen(port, "127.0.0.1");
      await once(server, "listening");
      server.close();
    }
  });

  it("leave out ports that a process listens on", async () => {
    const [before = 0] = await freePorts(1);
    const server = createServer().listen(before + 1, "127.0.0.1");
    await once(server, "listening");

    const [after = 0] = await freePorts(1);

    assert.notEqual(after, before + 1);
    server.close();
  });
});
