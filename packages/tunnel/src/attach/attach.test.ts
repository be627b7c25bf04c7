import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Clock, FakeClock } from "@homeostat/core";
import type { Carrier } from "../carrier/carrier.ts";
import { AttachRefusedError, ProtocolError } from "../errors.ts";
import { MachineKey } from "../handshake/machine-key.ts";
import { formatMessage, type Hello } from "../handshake/messages.ts";
import { Session } from "../mux/session.ts";
import { memoryCarriers } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import { type AcceptedTunnel, acceptTunnel, type AcceptTunnelOptions, type AttachVerdict } from "./accept-tunnel.ts";
import { type AttachTunnelOptions, attachTunnel } from "./attach-tunnel.ts";

const workload = { namespace: "shop", name: "jane-orders", uid: "u-1" };
const key = MachineKey.generate();
const allowed: AttachVerdict = {
  isAllowed: true,
  tunnelId: "t-1",
  epoch: 1,
  routingKey: "k3v9q2m7x1c4d",
  isActive: true,
};

const hello: Hello = {
  t: "hello",
  v: 1,
  client: "0.1.0",
  host: "laptop",
  workload: "shop/jane-orders",
  uid: workload.uid,
  key: key.publicKey,
  sig: "",
  resume: "",
  takeover: false,
};

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

    assert.deepEqual(welcome, { t: "welcome", tunnelId: "t-1", epoch: 1, routingKey: "k3v9q2m7x1c4d", active: true });
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
    const busy: AttachVerdict = { isAllowed: false, reason: "Busy", detail: "laptop-2 of jane", isRetryable: true };

    const error = await refusal({ server: { authorize: () => Promise.resolve(busy) } });

    assert.deepEqual([error.reason, error.detail, error.retryable], ["Busy", "laptop-2 of jane", true]);
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

  it("tell an old client and a new client which end to update", async () => {
    const { attached: old } = run({
      client: { versions: { min: 1, max: 1 } },
      server: { versions: { min: 2, max: 3 } },
    });
    const { attached: newer } = run({
      client: { versions: { min: 4, max: 5 } },
      server: { versions: { min: 2, max: 3 } },
    });

    await assert.rejects(old, {
      code: "TUNNEL_VERSION",
      message: /versions 2 to 3, and this client 1\. Update this client/,
    });
    await assert.rejects(newer, { code: "TUNNEL_VERSION", message: /Update the sandbox operator/ });
  });

  it("use the highest version that both ends speak", async () => {
    const { attached, hellos } = run({
      client: { versions: { min: 1, max: 7 } },
      server: { versions: { min: 1, max: 4 } },
    });

    const { session } = await attached;

    assert.equal(hellos[0]?.v, 4);
    session.close();
  });

  it("refuse a version that the server did not offer", async () => {
    for (const v of [0, 2, 1.5, -1]) {
      const { clock, serverCarrier, clientCarrier, hellos } = run({ client: { carrier: memoryCarriers()[0] } });
      const session = Session.start({
        carrier: clientCarrier,
        side: "client",
        clock,
        onStream: () => undefined,
        onEnd: () => undefined,
      });
      const recorder = new StreamRecorder();
      const control = session.open(recorder);
      control.write(formatMessage({ ...hello, v }));
      await clock.advance(1_000);

      assert.match(recorder.text, /"reason":"Version","detail":"the server speaks the versions 1 to 1","retry":false/);
      assert.deepEqual(hellos, []);
      serverCarrier.destroy();
    }
  });

  it("pass on roles, drains and port states, and ignore messages of newer peers", async () => {
    const events: string[] = [];
    const { accepted, attached } = run({
      client: {
        onRole: (isActive) => events.push(`active: ${isActive}`),
        onDrain: (graceMs) => events.push(`drain: ${graceMs}`),
        onEnd: ({ reason, detail, retry }) => events.push(`end: ${reason} ${detail} ${retry}`),
      },
      server: { onPort: (name, state) => events.push(`${name} ${state}`) },
    });
    const client = await attached;
    const server = await accepted;

    client.reportPort("http", "listening");
    server?.setActive(false);
    server?.drain(30_000);
    await new Promise(setImmediate);
    server?.close({ reason: "Deleted", detail: "the LocalWorkload was deleted", retry: false });
    await new Promise(setImmediate);

    assert.deepEqual(events, [
      "http listening",
      "active: false",
      "drain: 30000",
      "end: Deleted the LocalWorkload was deleted false",
    ]);
  });

  it("end with the reason of a client that leaves", async () => {
    const ends: string[] = [];
    const { accepted, attached } = run({
      client: { onEnd: ({ reason, retry }) => ends.push(`client: ${reason} ${retry}`) },
      server: { onEnd: (end, bye) => ends.push(`server: ${end.reason} ${bye?.reason}`) },
    });
    await accepted;

    (await attached).leave();
    await new Promise(setImmediate);

    assert.deepEqual(ends, ["client: ClientLeft false", "server: connection ClientLeft"]);
  });

  it("close the tunnel of a client that reports an unknown state", async () => {
    const ends: string[] = [];
    const { accepted, attached, clientCarrier } = run({ server: { onEnd: (end) => ends.push(end.reason) } });
    await accepted;
    await attached;
    const line = Buffer.from('{"t":"port","name":"http","state":"sleepy"}\n');

    const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, line.length]);
    clientCarrier.write(Buffer.concat([header, line]));
    await new Promise(setImmediate);

    assert.deepEqual(ends, ["closed"]);
  });
});
