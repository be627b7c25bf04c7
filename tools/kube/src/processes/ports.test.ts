import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, it } from "node:test";
import { PortTakenError } from "../errors.ts";
import { listeningSockets } from "./port-holder.ts";
import { checkPort, choosePorts, isFree } from "./ports.ts";

describe("choosePorts", () => {
  it("skips ports that are reserved or in use", async () => {
    const all = await choosePorts({ howMany: 4, seed: "a", taken: new Set(), isFree: async () => true });
    const [first = 0, second = 0, third = 0, fourth = 0] = all;

    const rest = await choosePorts({
      howMany: 2,
      seed: "a",
      taken: new Set([first]),
      isFree: async (port) => port !== third,
    });

    assert.deepEqual(rest, [second, fourth]);
  });

  it("starts elsewhere for another seed, and stays below the ephemeral ports", async () => {
    const starts = await Promise.all(
      ["a", "b", "c", "d"].map(async (seed) =>
        choosePorts({ howMany: 1, seed, taken: new Set(), isFree: async () => true }),
      ),
    );

    assert.equal(new Set(starts.flat()).size, 4);
    assert.ok(starts.flat().every((port) => port >= 20_000 && port < 32_768));
  });

  it("wraps around at the end of the range", async () => {
    const free = new Set([20_000, 31_999]);

    const chosen = await choosePorts({
      howMany: 2,
      seed: "a",
      taken: new Set(),
      isFree: async (port) => free.has(port),
    });

    assert.deepEqual(new Set(chosen), free);
  });

  it("throws when no port is free", async () => {
    const choice = choosePorts({ howMany: 1, seed: "a", taken: new Set(), isFree: async () => false });

    await assert.rejects(choice, PortTakenError);
  });
});

describe("checkPort", () => {
  it("names the process that uses the port", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;

    assert.equal(await isFree(port), false);
    const who = process.platform === "linux" ? `process ${process.pid} (` : "another process";
    await assert.rejects(checkPort(port, "127.0.0.1"), (error) => {
      assert.ok(error instanceof PortTakenError);
      assert.ok(error.message.startsWith(`Port ${port} is in use by ${who}`), error.message);
      return true;
    });

    server.close();
    await once(server, "close");
    assert.equal(await isFree(port), true);
  });
});

describe("listeningSockets", () => {
  it("finds the listener of a port, but neither its connections nor other ports", () => {
    const table = [
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
      "   0: 0100007F:192B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0 0 10 0",
      "   1: 0100007F:192B 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 222 1 0 20 4 30 10 -1",
      "   2: 0100007F:192C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 333 1 0 100 0 0 10 0",
    ].join("\n");

    assert.deepEqual(listeningSockets(table, 6443), ["socket:[111]"]);
    assert.deepEqual(listeningSockets("", 6443), []);
  });
});
