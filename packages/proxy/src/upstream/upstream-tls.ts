import { createHash } from "node:crypto";
import type { OnReadOpts } from "node:net";
import { connect, type ConnectionOptions, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { splitAddress } from "./address.ts";

/** Parts of {@link UpstreamTls}. */
export interface UpstreamTlsOptions {
  /** Certificates of the authorities that may have signed the certificate of the upstream, as PEM. No other authority is trusted. */
  readonly caBundle: string;
  /** Name that the certificate must have. Addresses of pods are in no certificate. */
  readonly serverName: string;
}

/** TLS to an upstream. Its certificate is always verified: by the given authorities, and for the given name. */
export class UpstreamTls {
  /** Hash of the content. Connections are shared only among requests with the same one. */
  readonly id: string;
  readonly serverName: string;
  readonly context: SecureContext;

  /** Throws a `TypeError` for a bundle that is empty: Node would trust public authorities instead. */
  constructor({ caBundle, serverName }: UpstreamTlsOptions) {
    if (caBundle.trim() === "") throw new TypeError("caBundle is empty; give the certificates of the authority as PEM");
    this.id = createHash("sha256").update(`${serverName}\n${caBundle}`).digest("base64url");
    this.serverName = serverName;
    this.context = createSecureContext({ ca: caBundle, minVersion: "TLSv1.2" });
  }
}

/** Returns the options of connections whose certificate is verified. */
export function tlsOptions({ context, serverName }: UpstreamTls): ConnectionOptions {
  // `rejectUnauthorized` is set, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes its default.
  return { servername: serverName, secureContext: context, rejectUnauthorized: true, ALPNProtocols: ["http/1.1"] };
}

/** Opens a connection with TLS to an address `host:port`. `secureConnect` follows the verification; a certificate that is not trusted is an error. */
export function connectTls(address: string, tls: UpstreamTls, onread?: OnReadOpts): TLSSocket {
  const socket = connect({ ...splitAddress(address), ...tlsOptions(tls), ...(onread !== undefined && { onread }) });
  socket.setNoDelay(true);
  return socket;
}
