// One end of the measured tunnel, as the server and the client of sandbox environments use it: TLS, handshake, splices.
//
//   tunnel-process.js server TUNNEL_PORT ENTRY_PORT CERT KEY
//   tunnel-process.js client TUNNEL_PORT TARGET_PORT CERT
//
// The program exits when its standard input ends.

import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import * as tls from "node:tls";
import { systemClock } from "@homeostat/core";
import { acceptTunnel, attachTunnel, MachineKey, type Session, SocketCarrier, spliceSocket } from "@homeostat/tunnel";

const [role, tunnelPort = "", otherPort = "", certFile = "", keyFile = ""] = process.argv.slice(2);
const cert = readFileSync(certFile);
const certificateSha256 = createHash("sha256").update(new X509Certificate(cert).raw).digest("hex");
const host = "127.0.0.1";
const verdict = { isAllowed: true, tunnelId: "tunnel", epoch: 1, routingKey: "bench", isActive: true } as const;
const workload = { namespace: "shop", name: "checkout", uid: "6f1d0c1e-0000-4000-8000-000000000001" };

process.stdin.resume().on("end", () => process.exit());
await (role === "server" ? serve() : attach());

/** Accepts a tunnel, and listens on the entry while it is attached. */
async function serve(): Promise<void> {
  let session: Session | undefined;
  const entry = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
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
      onEnd: () => process.exit(),
    });
    if (tunnel === undefined) return;
    session = tunnel.session;
    entry.listen(Number(otherPort), host);
  };
  const server = tls.createServer({ cert, key: readFileSync(keyFile) }, (socket) => void accept(socket));
  server.listen(Number(tunnelPort), host);
  await once(server, "listening");
  console.log("listening");
}

/** Attaches a tunnel, whose streams are connected with the target. */
async function attach(): Promise<void> {
  const socket = tls.connect({ port: Number(tunnelPort), host, ca: cert });
  await once(socket, "secureConnect");
  await attachTunnel({
    carrier: new SocketCarrier(socket),
    clock: systemClock,
    key: MachineKey.generate(),
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
