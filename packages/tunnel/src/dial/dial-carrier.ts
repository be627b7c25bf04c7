import { connect as connectHttp2 } from "node:http2";
import type { Duplex } from "node:stream";
import type { Carrier } from "../carrier/carrier.ts";
import { SocketCarrier } from "../carrier/socket-carrier.ts";
import { WebSocketCarrier } from "../carrier/websocket-carrier.ts";
import { ProtocolError } from "../errors.ts";
import { upgradeClient } from "../websocket/upgrade.ts";
import type { RandomBytes } from "../websocket/websocket.ts";
import {
  type TransportName,
  tunnelAlpn,
  tunnelPath,
  tunnelServerName,
  tunnelSubprotocol,
} from "../handshake/protocol-names.ts";
import { type SecureConnection, secureConnection, type TunnelTrust } from "./secure-connection.ts";

/** Options of {@link dialCarrier}. */
export interface DialCarrierOptions {
  readonly transport: TransportName;
  /** A connection to the tunnel server: TCP, through an HTTP proxy, or a port-forward. */
  readonly connection: Duplex;
  readonly trust: TunnelTrust;
  readonly randomBytes: RandomBytes;
  readonly signal: AbortSignal;
}

/** A connection that can carry a tunnel. */
export interface DialedCarrier {
  readonly carrier: Carrier;
  /** SHA-256 of the certificate of the server, in hex. */
  readonly certificateSha256: string;
}

const alpnOf: Readonly<Record<TransportName, string>> = {
  tls: tunnelAlpn,
  kube: tunnelAlpn,
  wss: "http/1.1",
  h2: "h2",
};

/** Starts a transport on a connection. The connection is closed if that fails. */
export async function dialCarrier(options: DialCarrierOptions): Promise<DialedCarrier> {
  const { transport, connection, trust, randomBytes, signal } = options;
  const secure = await secureConnection({ connection, trust, alpn: alpnOf[transport], signal });
  const { socket, certificateSha256 } = secure;
  try {
    if (transport === "wss") {
      const host = "publicName" in trust ? trust.publicName : tunnelServerName;
      const upgrade = { connection: socket, host, path: tunnelPath, protocol: tunnelSubprotocol, randomBytes, signal };
      const head = await upgradeClient(upgrade);
      return {
        carrier: new WebSocketCarrier({ connection: socket, head, side: "client", randomBytes }),
        certificateSha256,
      };
    }
    if (transport === "h2") return { carrier: await dialHttp2(secure, options), certificateSha256 };
    return { carrier: new SocketCarrier(socket), certificateSha256 };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Window of the only stream of a connection: flow control is done by the streams inside of it. */
const windowBytes = 16 * 1024 * 1024;

async function dialHttp2(
  { socket }: SecureConnection,
  { trust, randomBytes, signal }: DialCarrierOptions,
): Promise<Carrier> {
  const authority = "publicName" in trust ? trust.publicName : tunnelServerName;
  const session = connectHttp2(`https://${authority}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: windowBytes, enablePush: false },
  });
  const fail = new AbortController();
  session.on("error", (error) => fail.abort(error));
  session.on("close", () => fail.abort(new ProtocolError("the HTTP/2 connection ended")));
  const stop = AbortSignal.any([signal, fail.signal]);
  try {
    const settings = await once<{ enableConnectProtocol?: boolean }>(
      (done) => session.once("remoteSettings", done),
      stop,
    );
    if (settings.enableConnectProtocol !== true)
      throw new ProtocolError("the server does not support WebSockets on HTTP/2");
    session.setLocalWindowSize(windowBytes);
    const stream = session.request(
      {
        ":method": "CONNECT",
        ":protocol": "websocket",
        ":scheme": "https",
        ":authority": authority,
        ":path": tunnelPath,
        "sec-websocket-protocol": tunnelSubprotocol,
        "sec-websocket-version": "13",
      },
      { endStream: false },
    );
    stream.on("error", (error) => fail.abort(error));
    const headers = await once<{ ":status"?: number }>((done) => stream.once("response", done), stop);
    if (headers[":status"] !== 200)
      throw new ProtocolError(`the server refused the WebSocket with status ${headers[":status"] ?? "none"}`);
    return new WebSocketCarrier({ connection: stream, side: "client", randomBytes, onClosed: () => session.destroy() });
  } catch (error) {
    session.destroy();
    throw error;
  }
}

async function once<T>(listen: (done: (value: T) => void) => void, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    listen(resolve);
  });
}
