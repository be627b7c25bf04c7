import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import {
  clientHello,
  dataFrame,
  frame,
  getRequest,
  goawayFrame,
  headersFrame,
  postRequest,
  resetFrame,
  settingsAck,
  settingsFrame,
  windowFrame,
} from "../testing/frames.ts";
import { MemoryEngine, turn } from "../testing/memory-engine.ts";
import { flags, frameTypes } from "./protocol.ts";

/** Frames of a client after its preface and settings. */
const recorded: readonly Buffer[] = [
  settingsAck,
  headersFrame(1, postRequest, { isEnd: false }),
  dataFrame(1, "first ", { isEnd: false }),
  frame(frameTypes.ping, 0, 0, Buffer.from("12345678")),
  headersFrame(3, [...getRequest, ["x-routing-key", "k1"]]),
  frame(frameTypes.data, flags.padded, 1, Buffer.from("\x04second\0\0\0\0", "latin1")),
  windowFrame(0, 1_000),
  frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 1, 16])),
  headersFrame(1, [["x-checksum", "1"]]),
  resetFrame(3, 8),
];

describe("Http2Engine: bytes of a connection", () => {
  const whole = Buffer.concat([clientHello, ...recorded]);

  async function forwarded(chunks: readonly Buffer[]): Promise<string> {
    const engine = new MemoryEngine();
    const client = await engine.client(chunks[0] ?? Buffer.alloc(0));
    for (const chunk of chunks.slice(1)) client.socket.deliver(chunk);
    await turn();
    assert.equal(client.goawayCode, undefined);
    const [upstream] = engine.upstreams;
    const bodies = upstream === undefined ? "" : `${upstream.data(1)}|${upstream.of(frameTypes.headers).length}`;
    engine.engine.close();
    return bodies;
  }

  it("are understood however chunks divide them", async () => {
    assert.equal(await forwarded([whole]), "first second|2");

    // The reset of the second request may overtake it when both arrive before the connection to the upstream.
    for (let at = 1; at < whole.length; at += 1) {
      const bodies = await forwarded([whole.subarray(0, at), whole.subarray(at)]);
      assert.ok(/^first second\|[23]$/.test(bodies), `split at ${at}: ${bodies}`);
    }
    const bytes = Array.from(whole, (byte) => Buffer.of(byte));
    assert.match(await forwarded(bytes), /^first second\|[23]$/);
  });
});

describe("Http2Engine: random frames", () => {
  const inputs = process.env["HOMEOSTAT_FULL"] === undefined ? 400 : 8_000;

  function mutated(chance: SeededRandom, frames: readonly Buffer[]): Buffer {
    const list: Buffer[] = frames.filter(() => chance.int(8) > 0).map((one) => Buffer.from(one));
    for (let edits = chance.int(4); edits > 0; edits -= 1) {
      const one = chance.pick(list.length > 0 ? list : [Buffer.alloc(9)]);
      // Bytes of the length are changed less often: most of the rest would then be one frame.
      one[chance.int(5) === 0 ? chance.int(one.length) : Math.min(3 + chance.int(one.length), one.length - 1)] =
        chance.int(256);
    }
    if (chance.int(4) === 0) {
      const payload = Buffer.from(Array.from({ length: chance.int(40) }, () => chance.int(256)));
      list.splice(chance.int(list.length + 1), 0, frame(chance.int(11), chance.int(256), chance.int(8), payload));
    }
    return Buffer.concat(list);
  }

  it("end in a valid response, a reset or GOAWAY, and leave nothing behind", async () => {
    const chance = new SeededRandom(11);
    const codes = new Set<number>();
    const answers: readonly Buffer[] = [
      headersFrame(1, [[":status", "200"]], { isEnd: false }),
      dataFrame(1, "response", { isEnd: false }),
      settingsFrame([[4, 100]]),
      headersFrame(1, [["grpc-status", "0"]]),
      headersFrame(3, [[":status", "204"]]),
      goawayFrame(3),
    ];

    for (let input = 0; input < inputs; input += 1) {
      const engine = new MemoryEngine();
      const client = await engine.client(Buffer.concat([clientHello, mutated(chance, recorded)]));
      for (const upstream of engine.upstreams) await upstream.send(mutated(chance, answers));

      for (const peer of [client, ...engine.upstreams]) {
        const { goawayCode } = peer;
        if (goawayCode !== undefined) codes.add(goawayCode);
        assert.ok(goawayCode === undefined || goawayCode <= 11, `input ${input}: GOAWAY with ${goawayCode}`);
        // A frame that arrived causes at most a few frames of a fixed size.
        assert.ok(Buffer.concat(peer.socket.written).length < 4_096, `input ${input}`);
      }
      client.socket.destroy();
      await turn();
      assert.equal(engine.balancer.running, 0, `input ${input}`);
      assert.equal(engine.engine.size, 0, `input ${input}`);
      engine.engine.close();
    }

    assert.ok(codes.size >= 3, `codes ${[...codes].join(" ")}`);
  });
});
