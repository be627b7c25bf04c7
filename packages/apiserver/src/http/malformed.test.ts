import assert from "node:assert/strict";
import { connect as connectTcp, type Socket } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SeededRandom } from "@homeostat/fuzz";
import { infoHandler } from "./info-handler.ts";
import { type Malformed, malformed } from "../testing/malformed-requests.ts";
import { startTestServer, type TestServer } from "../testing/http-server.ts";

/** Number of inputs. Set `HOMEOSTAT_MALFORMED=10000` for the full run, which takes one or two minutes. */
const count = Number(process.env["HOMEOSTAT_MALFORMED"] ?? 400);
const lanes = 8;
const responseMsMax = 1_000;

describe("malformed requests", () => {
  it("are refused or disconnected quickly and leave nothing behind", async () => {
    const refused: string[] = [];
    const panicked: unknown[] = [];
    const observer = {
      refused: (problem: string) => refused.push(problem),
      panicked: (_: unknown, error: unknown) => panicked.push(error),
    };
    const api = await startTestServer(infoHandler(), { observer });
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
    try {
      await sendAll(api, 100, 7);
      const heapBefore = heapUsed();
      await sendAll(api, count, 1);
      const heapAfter = heapUsed();
      refused.length = 0;

      assert.ok(heapAfter - heapBefore < 20 * 1024 * 1024, `${heapAfter - heapBefore} bytes more`);
      assert.equal((await api.send("/healthz")).text, "ok");
      assert.equal(api.server.runningCount, 0);
      assert.deepEqual(panicked, []);
      assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before);
    } finally {
      await api.close();
    }
  });
});

async function sendAll(api: TestServer, total: number, seed: number): Promise<void> {
  const chance = new SeededRandom(seed);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < total) {
      const one = malformed(chance, next++);
      let taken = await send(api, one);
      // On a busy machine the time may have gone to other processes.
      for (let again = 0; taken.ms > responseMsMax && again < 3; again += 1) taken = await send(api, one);
      const shown = `${one.over} ${JSON.stringify(Buffer.from(one.bytes).toString("latin1").slice(0, 300))}`;
      assert.ok(taken.ms <= responseMsMax, `${taken.ms.toFixed(0)} ms for ${shown}`);
      if (one.over === "http/1.1" && taken.text !== "")
        assert.match(taken.text, /^HTTP\/1\.1 (?:[124]\d\d|501|505) /, shown);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Sends one input, closes the sending side, and waits until the server has closed its side. */
function send({ port, ca }: TestServer, { over, bytes, isHasty }: Malformed): Promise<{ ms: number; text: string }> {
  return new Promise((resolve) => {
    let text = "";
    let started = performance.now();
    const begin = (): void => {
      started = performance.now();
      if (isHasty) socket.write(bytes, () => socket.destroy());
      else socket.end(bytes);
    };
    const socket: Socket =
      over === "tcp"
        ? connectTcp({ port, host: "127.0.0.1" }, begin)
        : connectTls({ port, host: "127.0.0.1", ca, ALPNProtocols: [over] }, begin);
    socket.on("data", (piece: Buffer) => {
      if (text.length < 1000) text += piece.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve({ ms: performance.now() - started, text }));
  });
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}
