import type { Connection } from "./kubeconfig/connection.ts";
import type { Transport } from "./transport/transport.ts";
import { Client, type ClientOptions } from "./client.ts";
import { openTransport, type OpenOptions, withLayers } from "./api/open.ts";

/** Options of {@link createClient}. */
export interface CreateClientOptions extends OpenOptions, Omit<ClientOptions, "close"> {}

/**
 * Creates a client that connects to a server, or that sends its requests over any transport, such as that of a test.
 *
 * Requests pass through the layers that the options enable, in this order: `layers`, metrics, warnings, correlation ID, retries
 * (unless `retries` is false), rate limit, fence. Closing the client closes the sockets that it opened.
 *
 * @example
 * using client = createClient(await loadConnection({ context: "prod" }), { defaults: { fieldManager: "shop" } });
 */
export function createClient(target: Connection | Transport, options: CreateClientOptions = {}): Client {
  if ("send" in target) return new Client(withLayers(target, options), options);
  const { transport, close } = openTransport(target, options);
  return new Client(transport, { ...options, close });
}
