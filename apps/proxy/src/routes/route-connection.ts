import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { LookupFunction } from "node:net";
import { type Clock, withoutUndefined } from "@homeostat/core";
import { parseOperation } from "@homeostat/routing";
import { RouteStreamError } from "../errors.ts";
import type { TokenUse, UseCounter } from "./use-counter.ts";
import type { Reporter, ReportContent } from "../traffic/reporter.ts";
import { LineSplitter } from "./line-splitter.ts";
import { postJson } from "./post.ts";
import type { StreamPosition, TableError, TableStore } from "./table-store.ts";

/** Address and credentials of one connection to a route server. */
export interface RouteServerAddress {
  /** URL such as `https://sandbox-route-server.sandbox-system.svc:7777`. */
  readonly url: string;
  /** PEM certificates of the authority that signs the server's certificate. */
  readonly ca: string;
  /** Token of a ServiceAccount with the audience of the route server. */
  readonly token: string;
  /** Resolves the name of the host. Default: DNS. */
  readonly lookup?: LookupFunction | undefined;
}

/** Identity of this proxy in the stream. */
export interface ProxyIdentity {
  readonly proxy: string;
  readonly role: "takeover" | "sidecar" | "gateway";
  /** Empty: the namespace of the token, or all for a gateway. */
  readonly namespace: string;
  /** Services whose tables the proxy needs; empty for all. */
  readonly services: readonly string[];
}

export interface RouteConnectionOptions {
  readonly address: RouteServerAddress;
  readonly identity: ProxyIdentity;
  readonly store: TableStore;
  readonly clock: Clock;
  /** Called when all tables of the server were received. */
  readonly onSynced: () => void;
  /**
   * Resolves with the problems of tables when the proxy uses all tables that were received, and listens on their ports. A confirmation that came
   * earlier would let the operator send requests to ports that are not open yet.
   */
  readonly inUse: () => Promise<readonly TableError[]>;
  /** Uses of preview tokens to report, in the role gateway. */
  readonly uses?: UseCounter | undefined;
  /** Sends reports of traffic while the stream is open. */
  readonly reporter?: Pick<Reporter, "attach"> | undefined;
}

/** The route server sends a ping every 10 s. Three missed ones mean a dead connection. */
const silenceMsMax = 30_000;
const connectMs = 5_000;
/** Larger than a table at its limit together with the addresses of its targets. */
const lineBytesMax = 16 * 1024 * 1024;

/**
 * Follows one stream of a route server until it ends. Resolves when the server ends it, and rejects when it breaks, falls silent, or is
 * refused. Confirms each version on the same connection: at most one confirmation is on its way, always of the latest version.
 */
export async function followStream(options: RouteConnectionOptions, signal: AbortSignal): Promise<void> {
  const { address, clock, store } = options;
  signal.throwIfAborted();
  const session = connect(address.url, { ca: address.ca, ...withoutUndefined({ lookup: address.lookup }) });
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((onEnd, onFailure) => {
    resolve = onEnd;
    reject = onFailure;
  });
  session.on("error", (error) =>
    reject(new RouteStreamError("The connection to the route server failed.", { cause: error })),
  );
  session.on("close", () => resolve());
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let deadline = clock.schedule(connectMs, () => reject(silence(connectMs)));
  const heard = (): void => {
    deadline[Symbol.dispose]();
    deadline = clock.schedule(silenceMsMax, () => reject(silence(silenceMsMax)));
  };
  const report = async (content: ReportContent): Promise<boolean> => {
    if (session.destroyed || session.closed) return false;
    const body = { proxy: options.identity.proxy, ...content };
    return (await postJson(session, { path: "/v1/report", body }, { address, clock })) === 200;
  };
  let reporting: Disposable | undefined;
  const onSynced = (): void => {
    reporting ??= options.reporter?.attach(report);
    options.onSynced();
  };
  try {
    store.begin();
    const stream = session.request({
      ":path": pathOf(options),
      authorization: `Bearer ${address.token}`,
    });
    const acknowledge = acknowledger(session, options);
    readStream(stream, { ...options, onSynced, heard, reject, resolve, acknowledge });
    await ended;
  } finally {
    reporting?.[Symbol.dispose]();
    deadline[Symbol.dispose]();
    signal.removeEventListener("abort", abort);
    session.destroy();
  }
}

function silence(ms: number): RouteStreamError {
  return new RouteStreamError(`The route server sent nothing for ${ms / 1000} s.`);
}

function pathOf({ identity, store }: RouteConnectionOptions): string {
  const query = new URLSearchParams({ role: identity.role, proxy: identity.proxy });
  if (identity.namespace !== "") query.set("namespace", identity.namespace);
  if (identity.services.length > 0) query.set("services", identity.services.join(","));
  if (store.position !== undefined) query.set("from", `${store.position.epoch}.${store.position.version}`);
  return `/v1/stream?${query.toString()}`;
}

interface StreamReading extends RouteConnectionOptions {
  readonly heard: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly acknowledge: () => void;
}

function readStream(stream: ClientHttp2Stream, reading: StreamReading): void {
  const { heard, resolve, reject } = reading;
  const lines = new LineSplitter(lineBytesMax);
  let status = 0;
  let refusal = "";
  stream.on("response", (headers) => {
    status = headers[":status"] ?? 0;
    heard();
  });
  stream.on("data", (chunk: Buffer) => {
    heard();
    // The text of a refusal is short; more of it would not help.
    if (status !== 200) refusal = (refusal + chunk.toString("utf8")).slice(0, 1_000);
    else applyLines(lines, chunk, reading);
  });
  stream.on("error", (error) =>
    reject(new RouteStreamError("The stream of the route server broke.", { cause: error })),
  );
  stream.on("end", () => {
    if (status === 200) resolve();
    else
      reject(new RouteStreamError(`The route server refused the stream with status ${status}: ${refusal}`, { status }));
  });
}

function applyLines(lines: LineSplitter, chunk: Buffer, reading: StreamReading): void {
  const { store, onSynced, reject, acknowledge, uses } = reading;
  try {
    for (const line of lines.push(chunk)) {
      const operation = parseOperation(line);
      if (operation === undefined) {
        reject(new RouteStreamError(`The route server sent an invalid operation: ${line.slice(0, 200)}`));
        return;
      }
      if (operation.op === "END") {
        reject(new RouteStreamError(`The route server ended the stream (${operation.reason}): ${operation.message}`));
        return;
      }
      const isComplete = store.apply(operation);
      if (operation.op === "SYNCED") onSynced();
      // Uses are reported with the signs of life of the server.
      if (isComplete || (operation.op === "PING" && uses?.isEmpty === false)) acknowledge();
    }
  } catch (error) {
    reject(error);
  }
}

/** Returns a function that confirms the latest version of the store. Calls during a confirmation are answered by one more. */
function acknowledger(session: ClientHttp2Session, options: RouteConnectionOptions): () => void {
  const { store, inUse, uses } = options;
  const isOpen = (): boolean => !session.destroyed && !session.closed;
  let isRunning = false;
  let isStale = false;
  const run = async (): Promise<void> => {
    while (isStale && isOpen()) {
      isStale = false;
      const { position } = store;
      const errors = await inUse();
      if (position === undefined || !isOpen()) continue;
      const taken = uses?.take() ?? [];
      const isReceived = await sendAck(session, { ...position, errors, uses: taken }, options);
      if (!isReceived) uses?.putBack(taken);
    }
    isRunning = false;
  };
  return () => {
    isStale = true;
    if (isRunning) return;
    isRunning = true;
    void run();
  };
}

interface Ack extends StreamPosition {
  readonly errors: readonly TableError[];
  readonly uses: readonly TokenUse[];
}

/**
 * Sends a confirmation. Resolves when the server has responded, or will not: it then only counts this proxy as out of date. Returns true if it has
 * accepted it.
 */
async function sendAck(
  session: ClientHttp2Session,
  { errors, uses, ...position }: Ack,
  { identity, address, clock }: RouteConnectionOptions,
): Promise<boolean> {
  const reported = uses.length > 0 ? { uses } : {};
  const body = { proxy: identity.proxy, ...position, errors: errors.slice(0, 1_000), ...reported };
  return (await postJson(session, { path: "/v1/ack", body }, { address, clock })) === 200;
}
