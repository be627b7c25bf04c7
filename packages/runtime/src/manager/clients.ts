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
import { requestSpans } from "../tracing/request-spans.ts";
import type { Tracing } from "../tracing/tracing.ts";

/** Options of the clients of a manager. */
export interface ManagerClientOptions extends Pick<
  ConnectOptions,
  "files" | "run" | "env" | "requestsMax" | "compression" | "userAgent"
> {
  /** Additional transport layers for every request, outermost. */
  readonly layers?: LayerOptions["layers"];
  readonly retries?: LayerOptions["retries"];
  readonly rateLimit?: LayerOptions["rateLimit"];
  readonly defaults?: WriteDefaults;
}

/** Options of {@link openClients}. */
export interface OpenClientsOptions {
  readonly target: Connection | Transport;
  readonly client: ManagerClientOptions;
  readonly clock: Clock;
  /** Estimates the server's clock from the responses of all clients. */
  readonly serverClock: ServerClock;
  readonly random: Random;
  readonly log: Logger;
  readonly observer: RequestObserver;
  /** Returns the ID of the reconcile that a request belongs to. */
  readonly correlationId: () => string | undefined;
  /** Records the requests of reconciles as spans; undefined for none. */
  readonly tracing: Tracing | undefined;
  /** Throws when this process must not write; undefined without leader election. */
  readonly mayWrite: (() => void) | undefined;
}

/** The clients of a manager. They share their connections. */
export interface ManagerClients {
  /** Client for the Lease: without fence, retries and rate limit. The election has its own retries. */
  readonly lease: Client;
  /** Client for the cache, and for services that run in every process: without fence. */
  readonly reading: Client;
  /** Client for controllers: its writes are rejected unless this process leads. */
  readonly writing: Client;
  /** Closes the connections, unless the transport was passed in. */
  close(): void;
}

/** Connects to the API server and creates three clients on the same connections. */
export function openClients(options: OpenClientsOptions): ManagerClients {
  const { target, client, clock, serverClock, random, log, observer, correlationId, tracing, mayWrite } = options;
  const { layers = [], retries, rateLimit, defaults, ...sockets } = client;
  const { transport: unsampled, host, close } = open(target, { clock, ...sockets });
  const transport = withServerClock(serverClock)(unsampled);
  const common = { clock, random, host, observer, layers };
  const spans = tracing === undefined ? [] : [requestSpans(tracing, () => correlationId() !== undefined)];
  const usual = {
    ...common,
    layers: [...spans, ...layers],
    ...(retries === undefined ? {} : { retries }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(defaults === undefined ? {} : { defaults }),
    correlationId,
    onWarning: (
      { text }: { readonly text: string },
      { method, path }: { readonly method: string; readonly path: string },
    ) => log.warn("API server warning", { warning: text, request: `${method} ${path.split("?", 1)[0]}` }),
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

/** Returns a transport whose requests skip the queue of the connection pool: a renewal behind slow requests could lose the lease. */
function unqueued(transport: Transport): Transport {
  return { send: (request) => transport.send({ ...request, isStream: true }) };
}
