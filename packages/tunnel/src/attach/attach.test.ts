import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Clock, FakeClock } from "@homeostat/core";
import type { Carrier } from "../carrier/carrier.ts";
import { AttachRefusedError, ProtocolError } from "../errors.ts";
import { MachineKey } from "../handshake/machine-key.ts";
import type { Hello } from "../handshake/messages.ts";
import { Session } from "../mux/session.ts";
import { memoryCarriers } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import { type AcceptedTunnel, acceptTunnel, type AcceptTunnelOptions, type AttachVerdict } from "./accept-tunnel.ts";
import { type AttachTunnelOptions, attachTunnel } from "./attach-tunnel.ts";

const workload = { namespace: "shop", name: "jane-orders", uid: "u-1" };
const key = MachineKey.generate();
const allowed: AttachVerdict = { isAllowed: true, tunnelId: "t-1", epoch: 1, routingKey: "k3v9q2m7x1c4d" };

interface Overrides {
  readonly client?: Partial<AttachTunnelOptions>;
  readonly server?: Partial<AcceptTunnelOptions>;
}

/** Runs both parts of the handshake. The server knows `key` for `workload`. */
function run({ client = {}, server = {} }: Overrides = {}) {
  const clock = new FakeClock();
  const [clientCarrier, serverCarrier] = memoryCarriers();
  const hellos: Hello[] = [];
  const serverStreams: StreamRecorder[] = [];
  const accepted = acceptTunnel({
    carrier: serverCarrier,
    clock,
    certificateSha256: "ab",
    nonce: () => "nonce-1",
    authorize: (hello) => {
      hellos.push(hello);
      const isListed = hello.key === key.publicKey && hello.uid === workload.uid;
      return Promise.resolve(isListed ? allowed : { isAllowed: false, reason: "Denied", isRetryable: false });
    },
    onStream: (stream) => {
      const recorder = new StreamRecorder();
      recorder.take(stream);
      serverStreams.push(recorder);
    },
    onEnd: () => undefined,
    ...server,
  });
  const attached = attachTunnel({
    carrier: clientCarrier,
    clock,
    key,
    certificateSha256: "ab",
    workload,
    client: { version: "0.1.0", host: "laptop" },
    onStream: (stream) => stream.reset(),
    onEnd: () => undefined,
    ...client,
  });
  attached.catch(() => undefined);
  return { clock, accepted, attached, hellos, serverStreams, clientCarrier, serverCarrier };
}

async function refusal(overrides: Overrides): Promise<AttachRefusedError> {
  const { clock, accepted, attached } = run(overrides);
  await clock.advance(999);
  let isSettled = false;
  void attached.catch(() => (isSettled = true));
  await clock.advance(0);
  assert.ok(!isSettled, "the refusal came without a delay");
  await clock.advance(1);

  assert.equal(await accepted, undefined);
  const error: unknown = await attached.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AttachRefusedError, String(error));
  return error;
}

/** Accepts every machine whose signature is valid. */
function acceptAll(carrier: Carrier, clock: Clock): Promise<AcceptedTunnel | undefined> {
  return acceptTunnel({
    carrier,
    clock,
    certificateSha256: "ab",
    nonce: () => "n",
    authorize: () => Promise.resolve(allowed),
    onStream: () => undefined,
    onEnd: () => undefined,
  });
}

describe("attachTunnel and acceptTunnel", () => {
  it("attach a machine whose key is authorized", async () => {
    const { accepted, attached, hellos, serverStreams } = run({ client: { resume: "t-0", takeover: true } });

    const { session, welcome } = await attached;
    const tunnel = await accepted;

    assert.deepEqual(welcome, { t: "welcome", tunnelId: "t-1", epoch: 1, routingKey: "k3v9q2m7x1c4d" });
    assert.equal(tunnel?.hello.host, "laptop");
    assert.deepEqual([hellos[0]?.resume, hellos[0]?.takeover], ["t-0", true]);
    const stream = session.open(new StreamRecorder());
    stream.write(Buffer.from("after the handshake"));
    await new Promise(setImmediate);
    assert.equal(serverStreams[0]?.text, "after the handshake");
    session.close();
  });

  it("refuse a key that is not listed and another object with the same response", async () => {
    const unlisted = await refusal({ client: { key: MachineKey.generate() } });
    const other = await refusal({ client: { workload: { ...workload, uid: "u-2" } } });

    assert.deepEqual(
      [unlisted.reason, unlisted.retryable, unlisted.message],
      [other.reason, other.retryable, other.message],
    );
    assert.equal(unlisted.reason, "Denied");
  });

  it("refuse a signature that another server relays", async () => {
    const { reason } = await refusal({ client: { certificateSha256: "cd" } });

    assert.equal(reason, "Denied");
  });

  it("refuse a signature of an earlier connection", async () => {
    // The client signs another nonce than the server sent: what it recorded before.
    const replayed = key.sign({ nonce: "nonce-0", certificateSha256: "ab", ...workload });
    const replaying = { publicKey: key.publicKey, sign: () => replayed } as unknown as MachineKey;

    const { reason } = await refusal({ client: { key: replaying } });

    assert.equal(reason, "Denied");
  });

  it("pass on reasons for which a later attempt may succeed", async () => {
    const busy: AttachVerdict = { isAllowed: false, reason: "Busy: laptop-2 of jane", isRetryable: true };

    const error = await refusal({ server: { authorize: () => Promise.resolve(busy) } });

    assert.deepEqual([error.reason, error.retryable], ["Busy: laptop-2 of jane", true]);
  });

  it("close the connection of a client that opens no control stream in time", async () => {
    const clock = new FakeClock();
    const [, carrier] = memoryCarriers();
    const accepted = acceptAll(carrier, clock);

    await clock.advance(10_000);

    assert.equal(await accepted, undefined);
    await clock.advance(5_000);
    assert.ok(carrier.isDestroyed);
  });

  it("end when the client sends nothing, or something else than a hello", async () => {
    for (const line of ["", "GET / HTTP/1.1\r\n", '{"t":"out","dst":"orders:80"}\n', "x".repeat(3_000)]) {
      const clock = new FakeClock();
      const [clientCarrier, carrier] = memoryCarriers();
      const accepted = acceptAll(carrier, clock);
      const session = Session.start({
        carrier: clientCarrier,
        side: "client",
        clock,
        onStream: () => undefined,
        onEnd: () => undefined,
      });
      session.open(new StreamRecorder()).write(Buffer.from(line));

      await clock.advance(10_000);

      assert.equal(await accepted, undefined, line.slice(0, 20));
    }
  });

  it("reject when the server does not respond as a tunnel server", async () => {
    const clock = new FakeClock();
    const [carrier] = memoryCarriers();
    const attached = attachTunnel({
      carrier,
      clock,
      key,
      certificateSha256: "ab",
      workload,
      client: { version: "0.1.0", host: "laptop" },
      onStream: () => undefined,
      onEnd: () => undefined,
    });
    const rejected = assert.rejects(attached, ProtocolError);

    await clock.advance(10_000);

    await rejected;
  });

  it("reset streams that are opened before the client was accepted", async () => {
    const { clock, clientCarrier, serverCarrier, accepted, attached } = run({
      server: { authorize: () => new Promise(() => undefined) },
    });
    await clock.advance(1);
    // A data frame with SYN for stream 3, sent by the client's connection without asking the client.
    serverCarrier.receive(Buffer.from([0, 1, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0]));

    const frames = Buffer.concat(serverCarrier.written);
    assert.ok(frames.includes(Buffer.from([0, 1, 0, 8, 0, 0, 0, 3])), "stream 3 was reset");
    clientCarrier.destroy();
    await assert.rejects(attached);
    void accepted;
  });
});
