import type { Connection } from "../kubeconfig/connection.ts";
import type { Transport } from "../transport/transport.ts";
import { Client, type ClientOptions } from "./client.ts";
import { openTransport, type OpenOptions, withLayers } from "./open.ts";

/** How to make a client. */
export interface CreateClientOptions extends OpenOptions, Omit<ClientOptions, "close"> {}

/**
 * A client for a server: over sockets to a connection, or over any transport, such as one of a test.
 *
 * Requests go through the layers that the options ask for, in this order: `layers`, metrics, warnings, correlation id,
 * retries (there unless `retries: false`), rate limit, fence. Closing the client closes the sockets it opened.
 *
 * @example
 * using client = createClient(await loadConnection({ context: "prod" }), { defaults: { fieldManager: "shop" } });
 */
export function createClient(target: Connection | Transport, options: CreateClientOptions = {}): Client {
  if ("send" in target) return new Client(withLayers(target, options), options);
  const { transport, close } = openTransport(target, options);
  return new Client(transport, { ...options, close });
}
