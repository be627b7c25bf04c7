import {
  type Client,
  connect,
  type ConnectOptions,
  type Connection,
  createClient,
  type LayerOptions,
  type RequestObserver,
  type ServerClock,
  type Transport,
  withServerClock,
  type WriteDefaults,
} from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";

/** How a manager's clients are, beyond what it decides itself. */
export interface ManagerClientOptions extends Pick<
  ConnectOptions,
  "files" | "run" | "env" | "requestsMax" | "compression" | "userAgent"
> {
  /** Layers that every request goes through, outside all others. */
  readonly layers?: LayerOptions["layers"];
  readonly retries?: LayerOptions["retries"];
  readonly rateLimit?: LayerOptions["rateLimit"];
  readonly defaults?: WriteDefaults;
}

/** What {@link openClients} needs. */
export interface OpenClientsOptions {
  readonly target: Connection | Transport;
  readonly client: ManagerClientOptions;
  readonly clock: Clock;
  /** Samples the responses of all clients. */
  readonly serverClock: ServerClock;
  readonly random: Random;
  readonly log: Logger;
  readonly observer: RequestObserver;
  /** The id of the reconcile that a request belongs to. */
  readonly correlationId: () => string | undefined;
  /** Throws when no write of the leader may leave. */
  readonly mayWrite: (() => void) | undefined;
}

/** The clients of a manager. All use the same connections. */
export interface ManagerClients {
  /** For the Lease: no fence, no retries, no queue behind other requests. */
  readonly lease: Client;
  /** For the cache, and for services that run in every process: no fence. */
  readonly reading: Client;
  /** For controllers: a write leaves only while this process leads. */
  readonly writing: Client;
  /** Closes the connections, if they were opened here. */
  close(): void;
}

/** Opens the way to the server once, and makes three clients of it. */
export function openClients(options: OpenClientsOptions): ManagerClients {
  const { target, client, clock, serverClock, random, log, observer, correlationId, mayWrite } = options;
  const { layers, retries, rateLimit, defaults, ...sockets } = client;
  const { transport: unsampled, host, close } = open(target, { clock, ...sockets });
  const transport = withServerClock(serverClock)(unsampled);
  const common = { clock, random, host, observer, ...(layers === undefined ? {} : { layers }) };
  const usual = {
    ...common,
    ...(retries === undefined ? {} : { retries }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(defaults === undefined ? {} : { defaults }),
    correlationId,
    onWarning: (
      { text }: { readonly text: string },
      { method, path }: { readonly method: string; readonly path: string },
    ) => log.warn("The API server warns", { warning: text, request: `${method} ${path.split("?", 1)[0]}` }),
  };
  return {
    lease: createClient(unqueued(transport), { ...common, retries: false }),
    reading: createClient(transport, usual),
    writing: createClient(transport, mayWrite === undefined ? usual : { ...usual, mayWrite }),
    close,
  };
}

function open(
  target: Connection | Transport,
  options: ConnectOptions,
): { readonly transport: Transport; readonly host: string; readonly close: () => void } {
  if ("send" in target) return { transport: target, host: "", close: () => undefined };
  const sockets = connect(target, options);
  return { transport: sockets, host: new URL(target.server).host, close: () => sockets.close() };
}

/** Requests that do not wait for others: a renewal that stands in line behind slow ones would cost the lease. */
function unqueued(transport: Transport): Transport {
  return { send: (request) => transport.send({ ...request, isStream: true }) };
}
