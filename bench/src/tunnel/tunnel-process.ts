// One end of the measured tunnel, as the server and the client of sandbox environments use it: TLS, handshake, splices.
//
//   tunnel-process.js server TUNNEL_PORT ENTRY_PORT CERT KEY     every tunnel gets the connections of the entry in turn
//   tunnel-process.js client TUNNEL_PORT TARGET_PORT CERT COUNT  attaches COUNT tunnels; prints the time of the
//                                                                first connection, and "attached" after the last
//
// The program exits when its standard input ends.

import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import * as tls from "node:tls";
import { systemClock } from "@homeostat/core";
import { acceptTunnel, attachTunnel, MachineKey, type Session, SocketCarrier, spliceSocket } from "@homeostat/tunnel";

const [role, tunnelPort = "", otherPort = "", certFile = "", last = ""] = process.argv.slice(2);
const cert = readFileSync(certFile);
const certificateSha256 = createHash("sha256").update(new X509Certificate(cert).raw).digest("hex");
const host = "127.0.0.1";
const verdict = { isAllowed: true, tunnelId: "tunnel", epoch: 1, routingKey: "bench", isActive: true } as const;
const workload = { namespace: "shop", name: "checkout", uid: "6f1d0c1e-0000-4000-8000-000000000001" };

process.stdin.resume().on("end", () => process.exit());
await (role === "server" ? serve() : attachAll(Number(last)));

/** Accepts tunnels, and starts to listen on the entry with the first one. */
async function serve(): Promise<void> {
  let sessions: Session[] = [];
  let turn = 0;
  const entry = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const session = sessions[turn++ % sessions.length];
    if (session === undefined) return void socket.destroy();
    // Replaced by the splice.
    const none = (): void => undefined;
    const stream = session.open({ data: none, ended: none, drained: none, closed: none });
    spliceSocket(stream, socket);
  });
  const accept = async (socket: tls.TLSSocket): Promise<void> => {
    const tunnel = await acceptTunnel({
      carrier: new SocketCarrier(socket),
      clock: systemClock,
      certificateSha256,
      nonce: () => randomBytes(32).toString("base64url"),
      authorize: () => Promise.resolve(verdict),
      onStream: (stream) => stream.reset(),
      onEnd: () => {
        sessions = sessions.filter(({ isEnded }) => !isEnded);
      },
    });
    if (tunnel === undefined) return;
    sessions.push(tunnel.session);
    if (!entry.listening) entry.listen(Number(otherPort), host);
  };
  const server = tls.createServer({ cert, key: readFileSync(last) }, (socket) => void accept(socket));
  server.listen(Number(tunnelPort), host);
  await once(server, "listening");
  console.log("listening");
}

/** Attaches tunnels, a few at a time. */
async function attachAll(count: number): Promise<void> {
  const key = MachineKey.generate();
  let left = count;
  console.log(Date.now());
  const attachNext = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await attachOne(key);
    }
  };
  await Promise.all(Array.from({ length: Math.min(20, count) }, attachNext));
  console.log("attached");
}

/** Attaches a tunnel, whose streams are connected with the target. */
async function attachOne(key: MachineKey): Promise<void> {
  const socket = tls.connect({ port: Number(tunnelPort), host, ca: cert });
  await once(socket, "secureConnect");
  await attachTunnel({
    carrier: new SocketCarrier(socket),
    clock: systemClock,
    key,
    certificateSha256,
    workload,
    client: { version: "bench", host: "bench" },
    onStream: (stream) => {
      stream.accept();
      const target = connect({ port: Number(otherPort), host, allowHalfOpen: true, noDelay: true });
      spliceSocket(stream, target);
    },
    onEnd: () => process.exit(),
  });
}
