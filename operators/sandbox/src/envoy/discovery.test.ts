import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EnvoyResource } from "../render/envoy.ts";
import {
  type DiscoveryRequest,
  type DiscoveryResponse,
  readDiscoveryRequest,
  resourceTypes,
} from "./discovery-messages.ts";
import { DiscoverySession, type EnvoyState } from "./discovery-session.ts";
import { envoyMessages } from "./envoy-messages.ts";
import { frameMessage, MessageReader } from "./grpc-frames.ts";
import { bytesField, encodeAny, encodeMessage, readFields, textField } from "./protobuf.ts";

// The encoding of all resources is compared with the files of a real Envoy in e2e/src/operators/sandbox/envoy.

const [clusters, endpoints, listeners, routes] = resourceTypes;

function state(...services: readonly string[]): EnvoyState {
  const named = (type: string, prefix = ""): EnvoyResource[] =>
    services.map((service) => ({ "@type": type, name: `${prefix}${service}` }));
  return {
    clusters: named(clusters),
    endpoints: services.map((service) => ({ "@type": endpoints, cluster_name: service })),
    listeners: [{ "@type": listeners, name: "all" }],
    routes: [{ "@type": routes, name: "all", to: services }],
  };
}

/** An Envoy that has subscribed to everything. */
class Peer {
  readonly sent: DiscoveryResponse[] = [];
  readonly session: DiscoverySession;

  constructor(initial: EnvoyState) {
    this.session = new DiscoverySession(initial, (response) => this.sent.push(response));
  }

  request(typeUrl: string, more: Partial<DiscoveryRequest> = {}): void {
    this.session.request({ typeUrl, names: [], nonce: "", error: undefined, nodeId: undefined, ...more });
  }

  /** Answers all responses, until there are none. Returns the types with the names of their resources. */
  answerAll(namesOf: Readonly<Record<string, readonly string[]>> = {}): readonly string[] {
    const texts: string[] = [];
    for (let next = this.sent.shift(); next !== undefined; next = this.sent.shift()) {
      const { typeUrl, nonce, resources } = next;
      const names = resources.map(({ name, cluster_name: cluster }) => name ?? String(cluster));
      texts.push(`${typeUrl.split(".").at(-1) ?? ""} ${names.join(",")}`);
      this.request(typeUrl, { nonce, names: namesOf[typeUrl] ?? [] });
    }
    return texts;
  }
}

function subscribed(initial: EnvoyState): Peer {
  const peer = new Peer(initial);
  for (const type of resourceTypes) peer.request(type);
  peer.answerAll();
  return peer;
}

describe("a discovery session", () => {
  it("sends clusters and endpoints before listeners and routes, and retires clusters last", () => {
    const peer = subscribed(state("a"));

    peer.session.update(state("b"));

    assert.deepEqual(peer.answerAll(), [
      "Cluster b,a",
      "ClusterLoadAssignment b,a",
      "RouteConfiguration all",
      "Cluster b",
      "ClusterLoadAssignment b",
    ]);
    assert.ok(peer.session.isSynced);
  });

  it("sends endpoints although Envoy has not confirmed their clusters, and routes only after both", () => {
    const peer = subscribed(state("a"));
    peer.session.update(state("a", "b"));

    assert.deepEqual(
      peer.sent.map(({ typeUrl }) => typeUrl),
      [clusters, endpoints],
    );
    const [, second] = peer.sent;
    peer.request(endpoints, { nonce: second?.nonce ?? "" });
    assert.equal(peer.sent.length, 2, "the clusters are not confirmed yet");
    assert.ok(!peer.session.isSynced);
  });

  it("sends only the resources that Envoy names", () => {
    const peer = new Peer(state("a", "b"));
    peer.request(endpoints, { names: ["b"] });

    assert.deepEqual(peer.answerAll({ [endpoints]: ["b"] }), ["ClusterLoadAssignment b"]);
    peer.request(endpoints, { names: ["a", "b"], nonce: "1" });
    assert.deepEqual(peer.answerAll({ [endpoints]: ["a", "b"] }), ["ClusterLoadAssignment a,b"]);
  });

  it("reports rejected resources, keeps retired clusters, and does not repeat the response", () => {
    const peer = subscribed(state("a"));
    peer.session.update(state("b"));
    for (const { typeUrl, nonce } of peer.sent.splice(0)) peer.request(typeUrl, { nonce });
    const [rejected] = peer.sent.splice(0);
    assert.equal(rejected?.typeUrl, routes);
    peer.request(routes, { nonce: rejected.nonce, error: "bad regex" });

    assert.deepEqual(peer.sent, []);
    assert.deepEqual(peer.session.rejections, [{ typeUrl: routes, message: "bad regex" }]);
    assert.ok(!peer.session.isSynced);
  });

  it("ignores requests about earlier responses and about unknown types", () => {
    const peer = subscribed(state("a"));
    peer.request(clusters, { nonce: "99" });
    peer.request("type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret");

    assert.deepEqual(peer.sent, []);
  });
});

describe("messages of discovery", () => {
  it("are read from their bytes, with unknown fields skipped", () => {
    const message = Buffer.concat([
      textField(1, "v1"),
      bytesField(2, Buffer.concat([textField(1, "node-1"), textField(2, "cluster")])),
      textField(3, "a"),
      textField(3, "b"),
      textField(4, clusters),
      textField(5, "7"),
      bytesField(6, Buffer.concat([Buffer.from([0x08, 0x0d]), textField(2, "no such cluster")])),
      Buffer.from([0x78, 0x96, 0x01]),
    ]);

    assert.deepEqual(readDiscoveryRequest(message), {
      typeUrl: clusters,
      names: ["a", "b"],
      nonce: "7",
      error: "no such cluster",
      nodeId: "node-1",
    });
  });

  it("are refused if they are cut off anywhere, or malformed", () => {
    const message = Buffer.concat([
      textField(3, "abc"),
      Buffer.from([0x3d, 1, 2, 3, 4]),
      Buffer.from([0x41, ...Buffer.alloc(8)]),
    ]);
    const whole = [...readFields(message)];
    assert.deepEqual(
      whole.map(([number, value]) => [number, value.toString()]),
      [[3, "abc"]],
    );
    const boundaries = new Set([0, 5, 10]);
    for (let length = 0; length < message.length; length += 1) {
      if (boundaries.has(length)) continue;
      assert.throws(() => [...readFields(message.subarray(0, length))], /ends within/, String(length));
    }
    assert.throws(() => [...readFields(Buffer.alloc(11, 0xff))], /too long/);
    assert.throws(() => [...readFields(Buffer.from([0x0b]))], /unknown type 3/);
  });

  it("are encoded with the numbers of their fields", () => {
    const encoded = encodeMessage(envoyMessages, "SocketAddress", { address: "::1", port_value: 300 });

    assert.equal(encoded.toString("hex"), "12033a3a3118ac02");
    assert.throws(
      () => encodeMessage(envoyMessages, "SocketAddress", { protocol: "UDP" }),
      /protocol of SocketAddress has no encoding/,
    );
    assert.throws(() => encodeMessage(envoyMessages, "Nothing", {}), /Nothing has no encoding/);
    assert.throws(() => encodeMessage(envoyMessages, "RouteAction", { timeout: "1.5s" }), /not a duration/);
    assert.throws(() => encodeMessage(envoyMessages, "SocketAddress", { port_value: -1 }), /not a number of 32 bits/);
    assert.throws(() => encodeAny(envoyMessages, {}), /no @type/);
  });
});

describe("frames of gRPC", () => {
  it("are read whatever the chunks are", () => {
    const messages = [Buffer.from("a"), Buffer.alloc(0), Buffer.alloc(300, "b")];
    const bytes = Buffer.concat(messages.map(frameMessage));
    for (let size = 1; size <= bytes.length; size += 7) {
      const reader = new MessageReader();
      const found: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)));
      assert.deepEqual(found, messages, String(size));
    }
  });

  it("are refused if they are compressed or too long", () => {
    assert.throws(() => new MessageReader().push(Buffer.from([1, 0, 0, 0, 0])), /compressed/);
    assert.throws(() => new MessageReader().push(Buffer.from([0, 0xff, 0, 0, 0])), /more than/);
  });
});
