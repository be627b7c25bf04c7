// The tunnel server on the embedded cluster, with real connections. The numbers are the rows of the failure table in docs/internals/sandbox.md.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { after, before, describe, it } from "node:test";
import { type Clock, parseTime } from "@homeostat/core";
import { LocalWorkload, SandboxPolicy } from "@homeostat/sandbox-operator";
import { AttachRefusedError, MachineKey, machineId, openStream, type StreamFailedError } from "@homeostat/tunnel";
import { Node, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { type Machine, namespace, type RunningTunnels, TestTunnels, user } from "./testing/test-tunnels.ts";

describe("the tunnel server", () => {
  let cluster: TestTunnels;
  let replica: RunningTunnels;
  const key = MachineKey.generate();

  before(async () => {
    cluster = await TestTunnels.start();
    replica = await cluster.serve("tunnel-0");
  });
  after(async () => {
    await replica.stop();
    await cluster[Symbol.asyncDispose]();
  });

  const statusOf = async (name: string) => (await cluster.client.get(LocalWorkload, { namespace, name }))?.status;
  const until = (what: string, is: () => boolean): Promise<unknown> => cluster.until(what, async () => is());
  const refusal = async (attempt: Promise<unknown>): Promise<AttachRefusedError> => {
    try {
      await attempt;
    } catch (error) {
      assert.ok(error instanceof AttachRefusedError, String(error));
      return error;
    }
    return assert.fail("the machine was attached");
  };
  const listening = async (machine: Machine, name: string): Promise<void> => {
    machine.tunnel.reportPort("http", "listening");
    await cluster.until("Listening", async () => (await statusOf(name))?.connection?.localTarget === "Listening");
  };

  /** Creates a Service with one endpoint. */
  const service = async (name: string, address: string, targetRef: object, port: number): Promise<void> => {
    const metadata = { name, namespace };
    await cluster.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { ports: [{ port: 80, protocol: "TCP" }] },
    });
    await cluster.client.create(EndpointSlice, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true }, ...targetRef }],
      ports: [{ port, protocol: "TCP" }],
    });
  };

  it("connects requests of the cluster with the local process, and reports the machine", async () => {
    const workload = await cluster.workload("basic", key);
    const localPort = await cluster.respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    const machine = await cluster.attach(replica, { key, workload, localPort });
    await listening(machine, "basic");

    const response = await cluster.ask(workload.listenPort);

    assert.match(response, /hi$/);
    const { connection } = (await statusOf("basic")) ?? {};
    assert.deepEqual(
      [
        connection?.machine,
        connection?.host,
        connection?.user,
        connection?.replica,
        connection?.address,
        connection?.epoch,
      ],
      [machineId(key.publicKey), "laptop", user, "tunnel-0", "127.0.0.1", 1],
    );
    assert.equal(machine.tunnel.welcome.routingKey, "k3v9q2m7x1c4d");
    assert.match(replica.registry.expose(), /tunnel_connections\{namespace="shop"\} 1/);

    machine.tunnel.leave();
    await cluster.until("ClientLeft", async () => (await statusOf("basic"))?.connection?.reason === "ClientLeft");
    assert.equal(await cluster.ask(workload.listenPort), "", "the port is closed");
  });

  it("row 46: answers 503 that names machine and port if the local process is not started", async () => {
    const workload = await cluster.workload("closed", key);
    const machine = await cluster.attach(replica, { key, workload });
    machine.tunnel.reportPort("http", "refused");
    await cluster.until(
      "NotListening",
      async () => (await statusOf("closed"))?.connection?.localTarget === "NotListening",
    );

    const response = await cluster.ask(workload.listenPort);

    assert.match(response, /^HTTP\/1\.1 503 /);
    assert.match(response, /Nothing listens on 127\.0\.0\.1:3000 of laptop/);
    assert.match(
      (await statusOf("closed"))?.connection?.localMessage ?? "",
      /Nothing listens on 127\.0\.0\.1:3000 of laptop/,
    );
    machine.tunnel.leave();
  });

  it("row 47: slows down only the stream of a local process that reads slowly", async () => {
    const workload = await cluster.workload("slow", key);
    const slow = await cluster.listen((socket) => void socket.pause().on("error", () => undefined));
    const machine = await cluster.attach(replica, { key, workload, localPort: slow });
    await listening(machine, "slow");
    const stalled = connect({ port: workload.listenPort, host: "127.0.0.1" });
    stalled.on("error", () => undefined);
    for (let index = 0; index < 64; index += 1) stalled.write(Buffer.alloc(64 * 1024));
    await cluster.pass(1_000);

    const other = connect({ port: workload.listenPort, host: "127.0.0.1" });
    other.on("error", () => undefined);
    other.write("x");
    await until("another stream", () => machine.tunnel.session.size >= 3);

    assert.ok(machine.tunnel.session.unreadBytes <= 1024 * 1024, String(machine.tunnel.session.unreadBytes));
    stalled.destroy();
    other.destroy();
    machine.tunnel.leave();
  });

  it("keeps its machines without the API server, and is not ready for others until it responds again", async () => {
    const workload = await cluster.workload("cut-off", key);
    const localPort = await cluster.respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    const machine = await cluster.attach(replica, { key, workload, localPort });
    await listening(machine, "cut-off");
    assert.equal(replica.server.isReady, true);

    replica.link.cut();
    const from = cluster.clock.monotonic();
    await cluster.until("the replica is not ready", async () => !replica.server.isReady);
    const afterMs = cluster.clock.monotonic() - from;

    assert.ok(afterMs >= 10_000 && afterMs <= 15_000, `not ready after ${afterMs} ms`);
    assert.match(await cluster.ask(workload.listenPort), /hi$/);
    assert.deepEqual(machine.ends, []);
    replica.link.restore();
    await cluster.until("the replica is ready", async () => replica.server.isReady);
    await cluster.client.delete(LocalWorkload, { namespace, name: "cut-off" });
    await cluster.until("the end", async () => machine.ends.length > 0);
  });

  it("row 48: refuses a second machine and names the first, unless it takes over", async () => {
    const second = MachineKey.generate();
    const workload = await cluster.workload("two", key, {
      connection: { publicKeys: [key.publicKey, second.publicKey] },
    });
    const first = await cluster.attach(replica, { key, workload });

    const busy = await refusal(cluster.attach(replica, { key: second, workload }));
    assert.deepEqual([busy.reason, busy.detail, busy.retryable], ["Busy", `laptop of ${user}`, false]);

    const taken = await cluster.attach(replica, { key: second, workload, takeover: true });
    await until("Replaced", () => first.ends.length > 0);
    assert.deepEqual([first.ends[0]?.reason, first.ends[0]?.retry], ["Replaced", false]);
    assert.equal((await statusOf("two"))?.connection?.machine, machineId(second.publicKey));
    taken.tunnel.leave();
  });

  it("replaces the older connection of the same machine, and continues its tunnel", async () => {
    const workload = await cluster.workload("again", key);
    const first = await cluster.attach(replica, { key, workload });
    const second = await cluster.attach(replica, { key, workload, resume: first.tunnel.welcome.tunnelId });

    await until("Replaced", () => first.ends.length > 0);

    assert.equal(second.tunnel.welcome.tunnelId, first.tunnel.welcome.tunnelId);
    assert.equal(second.tunnel.welcome.epoch, 2);
    second.tunnel.leave();
  });

  it("keeps a standby, which becomes active when the first machine leaves", async () => {
    const spare = MachineKey.generate();
    const workload = await cluster.workload("standby", key, {
      connection: { mode: "Standby", publicKeys: [key.publicKey, spare.publicKey] },
    });
    const first = await cluster.attach(replica, { key, workload });
    const localPort = await cluster.respond("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nspare");
    const second = await cluster.attach(replica, { key: spare, workload, localPort });
    assert.deepEqual([first.tunnel.welcome.active, second.tunnel.welcome.active], [true, false]);
    assert.equal((await statusOf("standby"))?.machines?.length, 2);

    first.tunnel.leave();
    await until("the standby is active", () => second.roles.at(-1) === true);

    assert.match(await cluster.ask(workload.listenPort), /spare$/);
    second.tunnel.leave();
  });

  it("spreads connections over the machines of a pool", async () => {
    const other = MachineKey.generate();
    const workload = await cluster.workload("pool", key, {
      connection: { mode: "Pool", publicKeys: [key.publicKey, other.publicKey] },
    });
    const reply = (text: string): string => `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${text}`;
    const a = await cluster.attach(replica, { key, workload, localPort: await cluster.respond(reply("a")) });
    const b = await cluster.attach(replica, { key: other, workload, localPort: await cluster.respond(reply("b")) });
    await cluster.until("both", async () => (await statusOf("pool"))?.machines?.length === 2);

    const responses = [await cluster.ask(workload.listenPort), await cluster.ask(workload.listenPort)];

    assert.deepEqual(responses.map((text) => text.slice(-1)).toSorted(), ["a", "b"]);
    a.tunnel.leave();
    b.tunnel.leave();
  });

  it("row 49: closes a tunnel whose user lost the right to the LocalWorkload within 5 minutes", async () => {
    const workload = await cluster.workload("revoked", key);
    const machine = await cluster.attach(replica, { key, workload });
    const since = cluster.clock.now();

    await cluster.revoke();
    await until("AccessRevoked", () => machine.ends.length > 0);

    assert.deepEqual([machine.ends[0]?.reason, machine.ends[0]?.retry], ["AccessRevoked", false]);
    assert.ok(cluster.clock.now() - since <= 302_000, String(cluster.clock.now() - since));
    await cluster.until("the reason", async () => (await statusOf("revoked"))?.connection?.reason === "AccessRevoked");
    assert.equal((await refusal(cluster.attach(replica, { key, workload }))).reason, "Denied");
    await cluster.grant();
  });

  it("checks rights at the configured interval", async () => {
    cluster.config = { ...cluster.config, accessCheckIntervalSeconds: 30 };
    const workload = await cluster.workload("revoked-soon", key);
    const machine = await cluster.attach(replica, { key, workload });
    const since = cluster.clock.now();

    await cluster.revoke();
    await until("AccessRevoked", () => machine.ends.length > 0);

    assert.ok(cluster.clock.now() - since <= 32_000, String(cluster.clock.now() - since));
    await cluster.grant();
    cluster.config = { ...cluster.config, accessCheckIntervalSeconds: 300 };
  });

  it("closes a tunnel within 2 s of a change of the object: key removed, other target, policy", async () => {
    const changes: readonly [string, (name: string) => Promise<unknown>][] = [
      [
        "key-gone",
        async (name) =>
          cluster.client.patch(
            LocalWorkload,
            { namespace, name },
            { merge: { spec: { connection: { publicKeys: [] } } } },
          ),
      ],
      [
        "other-target",
        async (name) =>
          cluster.client.patch(
            LocalWorkload,
            { namespace, name },
            { merge: { spec: { connection: { target: "000000000000" } } } },
          ),
      ],
      [
        "policy",
        async () =>
          cluster.client.create(
            SandboxPolicy,
            SandboxPolicy.default({
              apiVersion: "sandbox.example.com/v1alpha1",
              kind: "SandboxPolicy",
              metadata: { name: "no-local", namespace },
              spec: { allowLocal: false },
            }),
          ),
      ],
    ];
    for (const [name, change] of changes) {
      const workload = await cluster.workload(name, key);
      const machine = await cluster.attach(replica, { key, workload });
      const since = cluster.clock.now();

      await change(name);
      await until(`the end of ${name}`, () => machine.ends.length > 0);

      assert.equal(machine.ends[0]?.reason, "AccessRevoked", name);
      assert.ok(cluster.clock.now() - since <= 2_000, name);
    }
    await cluster.client.delete(SandboxPolicy, { namespace, name: "no-local" });
  });

  it("row 50: says goodbye when the LocalWorkload is deleted", async () => {
    const workload = await cluster.workload("deleted", key);
    const machine = await cluster.attach(replica, { key, workload });

    await cluster.client.delete(LocalWorkload, { namespace, name: "deleted" });
    await until("Deleted", () => machine.ends.length > 0);

    assert.deepEqual([machine.ends[0]?.reason, machine.ends[0]?.retry], ["Deleted", false]);
  });

  it("refuses keys of another workload, other UIDs and unknown objects alike, and blocks an address that fails too often", async () => {
    // Failures of earlier tests are forgotten.
    await cluster.pass(60_000);
    const workload = await cluster.workload("mine", key);
    const stranger = MachineKey.generate();
    const other = await cluster.workload("theirs", stranger);
    const errors: AttachRefusedError[] = [];
    for (const attempt of [
      { key: stranger, workload },
      { key, workload: { ...workload, uid: other.uid } },
      { key, workload: { ...workload, name: "nothing" } },
      { key, workload: other },
      { key: stranger, workload: { ...workload, namespace: "bank" } },
    ])
      errors.push(await refusal(cluster.attach(replica, attempt)));

    assert.deepEqual(
      errors.map(({ reason, detail, retryable }) => `${reason} ${detail} ${retryable}`),
      Array.from({ length: 5 }, () => "Denied  false"),
    );
    await assert.rejects(cluster.attach(replica, { key, workload }), { code: "TUNNEL_UNREACHABLE" });
    await cluster.pass(60_000);
    (await cluster.attach(replica, { key, workload })).tunnel.leave();
  });

  it("closes connections that break the protocol before they have a machine, and serves others", async () => {
    const frame = (type: number, flags: number, stream: number, length: number, data = ""): Buffer => {
      const header = Buffer.alloc(12);
      header.writeUInt8(type, 1);
      header.writeUInt16BE(flags, 2);
      header.writeUInt32BE(stream, 4);
      header.writeUInt32BE(length, 8);
      return Buffer.concat([header, Buffer.from(data)]);
    };
    const line = (text: string): Buffer => frame(0, 1, 1, text.length, text);
    const payloads: readonly (readonly [string, Buffer])[] = [
      ["bytes that are no frames", Buffer.alloc(65_536, 0xa5)],
      ["a line without an end", line("x".repeat(8_192))],
      ["a line that is no object", line("[]\n")],
      ["a hello without fields", line('{"t":"hello","v":1}\n')],
      ["a window that overflows", Buffer.concat([line(""), frame(1, 0, 1, 0xffff_ffff)])],
    ];
    for (const [name, payload] of payloads) {
      // Each is a failure of the address.
      await cluster.pass(60_000);
      const socket = connectTls({
        port: replica.port,
        host: "127.0.0.1",
        ALPNProtocols: ["sandbox-tunnel.v1"],
        ca: cluster.authority.cert,
        servername: "sandbox-tunnel",
      });
      let isClosed = false;
      socket.on("error", () => undefined);
      socket.on("close", () => (isClosed = true));
      socket.resume();
      socket.write(payload);
      await cluster.until(name, async () => isClosed, 1);
    }

    const workload = await cluster.workload("after-attacks", key);
    (await cluster.attach(replica, { key, workload })).tunnel.leave();
    assert.deepEqual(
      replica.lines.filter(({ level }) => level === "error"),
      [],
    );
  });

  it("row 51: refuses outbound connections to all but allowed Services, and logs them", async () => {
    const workload = await cluster.workload("calls", key);
    const target = await cluster.respond("pong");
    await service("manual", "10.1.2.3", {}, target);
    await service("metadata", "169.254.169.254", { targetRef: { kind: "Pod", namespace, name: "x" } }, 80);
    await service("system", "10.1.2.3", { targetRef: { kind: "Pod", namespace: "sandbox-system", name: "x" } }, 80);
    await cluster.client.patch(
      Node,
      { name: (await cluster.client.list(Node, {})).items[0]?.metadata.name ?? "" },
      { merge: { status: { addresses: [{ type: "InternalIP", address: "10.9.9.9" }] } } },
      { subresource: "status" },
    );
    await service("on-node", "10.9.9.9", { targetRef: { kind: "Pod", namespace, name: "x" } }, 80);
    const machine = await cluster.attach(replica, { key, workload });
    const codes: string[] = [];
    for (const dst of [
      "127.0.0.1:80",
      "[::1]:80",
      "2130706433:80",
      "0x7f000001:80",
      "169.254.169.254:80",
      "kubernetes.default:443",
      "example.com:443",
      "sandbox-tunnel.sandbox-system:7443",
      "cart.bank:80",
      "nothing:80",
      "manual:80",
      "metadata:80",
      "system:80",
      "on-node:80",
      "manual:81",
      "no-port",
      "manual:99999",
    ]) {
      let failure: StreamFailedError | undefined;
      openStream(
        machine.tunnel.session,
        { t: "out", dst },
        { clock: cluster.clock, onAnswer: (error) => (failure = error) },
      );
      await until(`an answer for ${dst}`, () => failure !== undefined);
      codes.push(`${dst} ${failure?.reason}`);
    }

    assert.deepEqual(codes, [
      "127.0.0.1:80 denied",
      "[::1]:80 denied",
      "2130706433:80 denied",
      "0x7f000001:80 denied",
      "169.254.169.254:80 denied",
      "kubernetes.default:443 denied",
      "example.com:443 denied",
      "sandbox-tunnel.sandbox-system:7443 denied",
      "cart.bank:80 denied",
      "nothing:80 dns",
      "manual:80 refused",
      "metadata:80 denied",
      "system:80 refused",
      "on-node:80 denied",
      "manual:81 refused",
      "no-port protocol",
      "manual:99999 protocol",
    ]);
    const audited = replica.lines.filter(({ message }) => message === "Refused outbound connection");
    assert.equal(audited.length, codes.length);
    machine.tunnel.leave();
  });

  it("connects machines with pods of allowed Services", async () => {
    const workload = await cluster.workload("calling", key);
    await service(
      "orders",
      "10.1.2.3",
      { targetRef: { kind: "Pod", namespace, name: "x" } },
      await cluster.respond("pong"),
    );
    const machine = await cluster.attach(replica, { key, workload });
    for (const dst of ["orders:80", `orders.${namespace}:80`, `orders.${namespace}.svc.cluster.local:80`]) {
      let text = "";
      let refused: StreamFailedError | undefined;
      const stream = openStream(
        machine.tunnel.session,
        { t: "out", dst },
        { clock: cluster.clock, onAnswer: (failure) => (refused = failure) },
      );
      stream.handle({
        data: (chunk) => (text += chunk.toString()),
        ended: () => undefined,
        drained: () => undefined,
        closed: () => undefined,
      });
      stream.write(Buffer.from("ping"));
      await until(`a response of ${dst}`, () => text === "pong" || refused !== undefined);
      assert.equal(refused, undefined, dst);
      stream.reset();
    }
    machine.tunnel.leave();
  });

  it("lets one of two machines attach that do so at the same moment at two replicas", async () => {
    const second = MachineKey.generate();
    const workload = await cluster.workload("race", key, {
      connection: { publicKeys: [key.publicKey, second.publicKey] },
    });
    const other = await cluster.serve("tunnel-2");

    const attempts = [cluster.dial(replica, { key, workload }), cluster.dial(other, { key: second, workload })];
    await until("both have an answer", () => attempts.every(({ settled }) => settled !== undefined));

    const attached = attempts.flatMap(({ settled }) => settled?.machine ?? []);
    assert.equal(attached.length, 1);
    const refused = attempts.flatMap(({ settled }) => (settled?.machine === undefined ? [settled?.error] : []));
    assert.ok(refused[0] instanceof AttachRefusedError && refused[0].reason === "Busy", String(refused[0]));
    for (const { tunnel } of attached) tunnel.leave();
    await other.stop();
  });

  it("row 53: refuses a client with another version, and says which versions it speaks", async () => {
    const workload = await cluster.workload("versions", key);

    await assert.rejects(
      cluster.attach(replica, { key, workload, versions: { min: 2, max: 2 } }),
      /Update the sandbox operator/,
    );
  });

  it("row 44: reports a machine that stops responding within 30 s", async () => {
    const workload = await cluster.workload("asleep", key);
    const network = await cluster.network(replica.port);
    const machine = await cluster.attach({ port: network.port }, { key, workload });
    const since = cluster.clock.now();

    // Nothing arrives any more in either direction, and no connection is closed.
    network.cut();
    await cluster.until(
      "HeartbeatLost",
      async () => (await statusOf("asleep"))?.connection?.reason === "HeartbeatLost",
    );

    assert.ok(cluster.clock.now() - since <= 30_000, String(cluster.clock.now() - since));
    assert.equal(await cluster.ask(workload.listenPort), "", "the port is closed");
    machine.tunnel.leave();
    network.close();
  });

  it("row 55: attaches and serves a machine whose clock is ten years behind, with times of the API server", async () => {
    const { clock } = cluster;
    const behind: Clock = {
      now: () => clock.now() - 10 * 365 * 86_400_000,
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      timeout: (ms) => clock.timeout(ms),
      schedule: (ms, run) => clock.schedule(ms, run),
    };
    const workload = await cluster.workload("behind", key);
    const localPort = await cluster.respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");

    const machine = await cluster.attach(replica, { key, workload, localPort, clock: behind });
    await listening(machine, "behind");

    assert.match(await cluster.ask(workload.listenPort), /hi$/);
    const { connectedAt = "", lastHeartbeat = "" } = (await statusOf("behind"))?.connection ?? {};
    for (const time of [connectedAt, lastHeartbeat])
      assert.ok(Math.abs(parseTime(time) - clock.now()) < 60_000, `${time} is not the time of the API server`);
    assert.deepEqual(machine.ends, []);
    machine.tunnel.leave();
  });

  it("row 45: moves machines to another replica before it stops, without losing a request", async () => {
    const workload = await cluster.workload("moves", key);
    const old = await cluster.serve("tunnel-1");
    const open: (() => void)[] = [];
    const localPort = await cluster.listen((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => open.push(() => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")));
    });
    const first = await cluster.attach(old, { key, workload, localPort });
    await listening(first, "moves");
    const asked = cluster.send(workload.listenPort);
    await until("the request", () => open.length === 1);

    old.askToStop();
    await until("drain", () => first.drains.length === 1);
    const second = await cluster.attach(replica, { key, workload, resume: first.tunnel.welcome.tunnelId });
    assert.equal((await statusOf("moves"))?.connection?.replica, "tunnel-0");
    assert.equal(first.ends.length, 0, "the old connection goes on");
    open[0]?.();

    await until("the response", () => asked.isOver);
    assert.match(asked.text, /late$/);
    await old.stop();
    assert.deepEqual([first.ends[0]?.reason, first.ends[0]?.retry], ["Drained", true]);
    assert.equal((await statusOf("moves"))?.connection?.replica, "tunnel-0");
    second.tunnel.leave();
  });
});
