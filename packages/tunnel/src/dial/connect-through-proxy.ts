import type { Duplex } from "node:stream";
import { ProtocolError } from "../errors.ts";
import { readHead } from "../websocket/upgrade.ts";

/**
 * Asks an HTTP proxy for a connection to a target (`CONNECT`), on a connection to the proxy. Rejects with a {@link ProtocolError} if the proxy refuses; the
 * error contains the status and never the credentials. A failure destroys the connection: a proxy that refuses may leave it open.
 */
export async function connectThroughProxy({
  connection,
  target,
  credentials,
  signal,
}: {
  readonly connection: Duplex;
  /** `host:port`; an IPv6 address in brackets. */
  readonly target: string;
  /** `user:password`, decoded. */
  readonly credentials?: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  if (/[\r\n\0 ]/.test(target)) throw new TypeError("The target of a proxy contains a blank or a line break.");
  const authorization =
    credentials === undefined ? "" : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}\r\n`;
  try {
    connection.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
    checkResponse(await readHead(connection, signal));
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

function checkResponse({ text, rest }: { readonly text: string; readonly rest: Buffer }): void {
  const [status = ""] = text.split("\r\n");
  if (!/^HTTP\/1\.[01] 200(?: |$)/.test(status))
    throw new ProtocolError(`the proxy refused the connection: ${status.slice(0, 80)}`);
  // The server speaks after the client in TLS: nothing may follow the response.
  if (rest.length > 0) throw new ProtocolError("the proxy sent data after its response");
}
