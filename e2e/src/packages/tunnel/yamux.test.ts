// Sessions of this project with the yamux implementation in Go at the other end, in both roles.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { before, describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import { type MuxStream, Session, type SessionEnd, SocketCarrier } from "@homeostat/tunnel";
import { buildYamux } from "../../clients/builds.ts";
import { runProgram } from "../../clients/program.ts";

/** Starts a session on a socket. Its peer's streams get their data back. */
function startSession(
  side: "client" | "server",
  socket: Socket,
): { readonly session: Session; readonly ended: Promise<SessionEnd> } {
  let onEnd: (end: SessionEnd) => void = () => undefined;
  const ended = new Promise<SessionEnd>((resolve) => (onEnd = resolve));
  const carrier = new SocketCarrier(socket);
  return { session: Session.start({ carrier, side, clock: systemClock, onStream: sendBack, onEnd }), ended };
}

/** Sends the data of a stream back, and lets the peer send more only when it has taken what it sent. */
function sendBack(stream: MuxStream): void {
  const unsent: Buffer[] = [];
  let isBlocked = false;
  let isEnding = false;
  const forward = (): void => {
    isBlocked = false;
    for (
      let chunk = unsent.shift();
      chunk !== undefined && !isBlocked;
      chunk = isBlocked ? undefined : unsent.shift()
    ) {
      stream.consumed(chunk.length);
      isBlocked = !stream.write(chunk);
    }
    if (isEnding && unsent.length === 0) stream.end();
  };
  stream.accept();
  stream.handle({
    data: (chunk) => {
      unsent.push(Buffer.from(chunk));
      if (!isBlocked) forward();
    },
    ended: () => {
      isEnding = true;
      if (!isBlocked) forward();
    },
    drained: forward,
    closed: () => undefined,
  });
}

/** Sends data over a new stream and returns the hash of what comes back. */
async function exchange(session: Session, data: Buffer): Promise<string> {
  const hash = createHash("sha256");
  await new Promise<void>((resolve, reject) => {
    const stream = session.open({
      data: (chunk) => {
        hash.update(chunk);
        stream.consumed(chunk.length);
      },
      ended: resolve,
      drained: () => undefined,
      closed: (reason) => (reason === "finished" ? resolve() : reject(new Error(`the stream was closed: ${reason}`))),
    });
    stream.write(data);
    stream.end();
  });
  return hash.digest("hex");
}

describe("tunnel sessions and Go's yamux", () => {
  let program = "";
  before(async () => {
    program = await buildYamux();
  });

  it("exchange data when Go is the client", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const connected = once(server, "connection") as Promise<[Socket]>;

    const outcome = runProgram(program, ["connect", `127.0.0.1:${address.port}`]);
    const [socket] = await connected;
    server.close();
    const { ended } = startSession("server", socket);
    const { code, stdout, stderr } = await outcome;
    const end = await ended;

    assert.equal(code, 0, stderr);
    const result = JSON.parse(stdout) as { streams: number; bytes: number; error?: string };
    assert.equal(result.error, undefined);
    assert.equal(result.streams, 40);
    assert.ok(result.bytes > 10_000_000);
    assert.deepEqual(end, { reason: "go-away", code: 0 });
  });

  it("exchange data when Go is the server", async () => {
    const child = spawn(program, ["serve"], { stdio: ["ignore", "pipe", "inherit"] });
    const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { session } = startSession("client", connect({ port: Number(port), host: "127.0.0.1" }));
    const bodies = Array.from({ length: 40 }, (_, index) => randomBytes(index * 20_011));

    const hashes = await Promise.all(bodies.map((body) => exchange(session, body)));

    assert.deepEqual(
      hashes,
      bodies.map((body) => createHash("sha256").update(body).digest("hex")),
    );
    assert.ok(session.rttMs !== undefined, "Go has answered the ping");
    assert.equal(session.unreadBytes, 0);
    session.close();
    await once(child, "exit");
  });
});
