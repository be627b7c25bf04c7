import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PeerCertificate, PeerServer } from "./peer-server.ts";
import { type HostilePeer, hostilePeers } from "./peers.ts";

export type { PeerCertificate } from "./peer-server.ts";

/** A request that a client of the suite has to send. */
export interface SuiteRequest {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** An HTTP client of the repository. Each exchange gets a new one. */
export interface ClientUnderTest {
  /** Sends one request as the product does, and reads the response to its end. */
  send(request: SuiteRequest): Promise<unknown>;
  /** Lets the client's own deadline pass, by moving its clock. */
  expire(): Promise<void>;
  /** Reports whether the client documents this error. The reason of the signal is always accepted. */
  isTyped(error: unknown): boolean;
  /** Closes the connections that the client keeps. */
  close?(): void;
}

/** Options of {@link hostilePeerSuite}. */
export interface SuiteOptions {
  /** For a client that speaks HTTPS. */
  readonly certificate?: () => PeerCertificate;
  /** Bytes of a body without end after which the client gives up; undefined for a client that streams to its caller. */
  readonly bodyBytesMax?: number;
}

/** Bytes that buffers of the kernel and of streams hold in addition, on both sides of a loopback connection. */
const bufferBytesMax = 16 * 1_024 * 1_024;

/** Time after which a client counts as hanging. Far longer than any exchange takes, even on a slow machine. */
const hangMs = 10_000;

/** Tests a client against every hostile peer: by abort and by deadline. */
export function hostilePeerSuite(name: string, make: () => ClientUnderTest, options: SuiteOptions = {}): void {
  describe(`${name}, when the peer`, () => {
    for (const peer of hostilePeers) {
      it(peer.name, { timeout: hangMs }, async () => {
        await exchange(peer, make(), { ...options, by: "abort" });
        await exchange(peer, make(), { ...options, by: "deadline" });
      });
    }
  });
}

async function exchange(
  peer: HostilePeer,
  client: ClientUnderTest,
  { by, certificate, bodyBytesMax }: SuiteOptions & { readonly by: "abort" | "deadline" },
): Promise<void> {
  const server = new PeerServer(peer, certificate?.());
  try {
    const port = await server.listen();
    const stop = new AbortController();
    const reason = new Error("aborted by the test");
    const outcome = client.send({ host: "127.0.0.1", port, signal: stop.signal }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );

    await Promise.race([outcome, server.acted]);
    // Let the client read what was sent: an abort before that would test less.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (by === "abort") stop.abort(reason);
    else await client.expire();
    const failure = await outcome;

    if (failure !== undefined && failure.error !== reason) {
      assert.ok(client.isTyped(failure.error), `${by}: the error is not typed: ${String(failure.error)}`);
    }
    if (peer.isComplete === true) client.close?.();
    await server.released();
    if (bodyBytesMax !== undefined && peer.isDiscarded !== true) {
      assert.ok(
        server.bytesSent <= bodyBytesMax + bufferBytesMax,
        `${by}: the client accepted ${server.bytesSent} bytes`,
      );
    }
  } finally {
    client.close?.();
    await server.close();
  }
}
