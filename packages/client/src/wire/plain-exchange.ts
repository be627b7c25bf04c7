import { type Clock, DeadlineError, NetworkError } from "@homeostat/core";
import { type AbortListener, addAbortListener, removeAbortListener } from "../async/abort-listeners.ts";
import { pathWithoutQuery } from "../transport/path-without-query.ts";
import { type Request, type Response, defaultTimeouts } from "../transport/transport.ts";
import { ResponseBody, type ResponseSource } from "./response-body.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import type { PooledConnection, ConnectionUser } from "./pooled-connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { formatRequestLine } from "./request-head.ts";

/** Options of {@link plainExchange}. */
export interface PlainExchangeOptions {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly pool: ConnectionPool;
  /** The formatted headers, including credentials. */
  readonly headers: string;
  /** True if the headers are known to be ASCII. */
  readonly isAscii: boolean;
  /** Called once when the exchange has ended: the body has arrived or was canceled, or there was no response. */
  readonly onEnd: () => void;
}

/** The maximum number of attempts of a GET on idle connections that turn out to be closed. */
const staleMax = 3;

/**
 * Sends a request that is not a stream, and resolves with the head of the response, whatever its status.
 *
 * Does the work of Node's HTTP client at a quarter of its cost: one listener per connection instead of a dozen per request, and no
 * streams. Rejects with a `NetworkError` if there is no response, and with the signal's reason if it aborts. A server may close an
 * idle connection at the moment it is reused. A GET is then retried on another connection; a write is not, because the
 * server may have processed it.
 */
export function plainExchange(request: Request, options: PlainExchangeOptions): Promise<Response> {
  return new Promise((resolve, reject) => new Exchange(request, { options, resolve, reject, tries: 1 }).begin());
}

/** The state that all attempts of one request share, and the number of the attempt. */
interface Attempt {
  readonly options: PlainExchangeOptions;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
  readonly tries: number;
}

/** One attempt: from taking or opening a connection to the end of the response. */
class Exchange implements ConnectionUser, ResponseSource, AbortListener, Deadline {
  readonly clock: Clock;
  readonly idleMs: number;
  at = Infinity;
  index = -1;
  readonly #request: Request;
  readonly #options: PlainExchangeOptions;
  readonly #attempt: Attempt;
  readonly #reader: ResponseReader;
  readonly #body: ResponseBody;
  #connection: PooledConnection | undefined;
  /** Aborts connecting through a proxy. */
  #endDial: () => void = () => undefined;
  /** The current time limit, and what is being waited for. */
  #limitMs = Infinity;
  #awaited = "";
  #isSent = false;
  /** True if the promise was resolved or rejected. */
  #isSettled = false;
  #isOver = false;

  constructor(request: Request, attempt: Attempt) {
    this.#request = request;
    this.#attempt = attempt;
    this.#options = attempt.options;
    this.clock = attempt.options.clock;
    this.idleMs = request.timeouts?.idleMs ?? defaultTimeouts.idleMs;
    this.#body = new ResponseBody(this);
    this.#reader = new ResponseReader(this.#body);
  }

  // ── called by the body ──

  hold(isHeld: boolean): void {
    if (this.#isOver || this.#connection === undefined) return;
    // The buffer is full, so even a request with `isWhole` gets its response now: reading the body must make room.
    if (isHeld) this.#respond();
    if (isHeld) this.#connection.socket.pause();
    else this.#connection.socket.resume();
  }

  abandon(): void {
    this.#break(new Error("the body was canceled"));
  }

  broken(cause: unknown): unknown {
    const { signal } = this.#request;
    return signal?.aborted === true ? signal.reason : this.#broken(cause);
  }

  // ── start ──

  begin(): void {
    const { signal, timeouts } = this.#request;
    if (signal?.aborted === true) return this.#giveUp(signal.reason);
    if (signal !== undefined) addAbortListener(signal, this);
    const { pool, deadlines } = this.#options;
    const idle = pool.take(deadlines.now());
    if (idle !== undefined) return this.#use(idle);
    this.#limit(timeouts?.connectMs ?? defaultTimeouts.connectMs, "no connection");
    try {
      this.#endDial = pool.open((error, connection) => {
        if (connection === undefined) return this.#fail(error);
        if (this.#isSettled) return connection.drop();
        this.#use(connection);
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  // ── called by the connection, the signal and the deadline ──

  receive(piece: Buffer): void {
    try {
      this.#reader.push(piece);
    } catch (error) {
      this.#respond();
      return this.#break(error);
    }
    if (this.#isSettled) {
      if (this.#reader.isDone) this.#done();
    } else if (this.#reader.isDone) {
      this.#respond();
      this.#done();
    } else if (this.#request.isWhole !== true) this.#respond();
    else if (this.#reader.head !== undefined) this.#limit(this.idleMs, "incomplete response");
  }

  aborted(): void {
    const reason: unknown = this.#request.signal?.reason;
    if (this.#isSettled) this.#break(reason);
    else this.#giveUp(reason);
  }

  missed(): void {
    this.#fail(new DeadlineError(this.#limitMs, { cause: new Error(this.#awaited) }));
  }

  ended(error: Error | undefined): void {
    if (this.#reader.end()) {
      this.#respond();
      this.#done();
    } else this.#break(error ?? closedEarly());
  }

  // ── sending the request ──

  /** Writes the request once the connection is established. */
  #use(connection: PooledConnection): void {
    this.#connection = connection;
    const { isWhole = false, timeouts } = this.#request;
    connection.take(this, isWhole && timeouts === undefined);
    const { socket } = connection;
    const isSecure = "secureConnecting" in socket;
    if (socket.connecting || (isSecure && socket.secureConnecting === true)) {
      socket.once(isSecure ? "secureConnect" : "connect", () => this.#write());
    } else this.#write();
  }

  #write(): void {
    if (this.#isSettled || this.#connection === undefined) return;
    const { method, path, body, timeouts, beforeSending } = this.#request;
    const { socket } = this.#connection;
    let head: string;
    try {
      head = `${formatRequestLine(method, path)}${this.#options.headers}\r\n`;
    } catch (error) {
      return this.#fail(error, "ERR_UNESCAPED_CHARACTERS");
    }
    try {
      beforeSending?.();
    } catch (refusal) {
      return this.#giveUp(refusal);
    }
    this.#isSent = true;
    this.#limit(timeouts?.headersMs ?? defaultTimeouts.headersMs, "no response");
    if (typeof body === "string" && (this.#options.isAscii || !/[\x80-\xff]/.test(this.#options.headers))) {
      // The request line is always ASCII, so head and body can be written as one UTF-8 string.
      socket.write(head + body, "utf8");
      return;
    }
    socket.cork();
    socket.write(head, "latin1");
    if (body !== undefined) socket.write(body);
    socket.uncork();
  }

  // ── receiving the response ──

  /** Resolves with the response if its head has arrived. */
  #respond(): void {
    const { head } = this.#reader;
    if (head === undefined || this.#isSettled) return;
    this.#isSettled = true;
    this.#unlimit();
    this.#attempt.resolve(new LazyResponse(head, this.#body));
  }

  /** Called when the response is complete. Releases the connection. */
  #done(): void {
    if (!this.#end()) return;
    this.#body.finish();
    const { pool, deadlines } = this.#options;
    if (this.#connection === undefined) return;
    // A connection that was paused for a slow reader must not stay paused for the next exchange.
    if (this.#connection.socket.isPaused()) this.#connection.socket.resume();
    if (this.#reader.isKept) pool.release(this.#connection, deadlines.now());
    else this.#connection.drop();
  }

  /** Called when the connection broke or the body was canceled. */
  #break(cause: unknown): void {
    if (!this.#isSettled) return this.#fail(cause);
    if (!this.#end()) return;
    this.#connection?.drop();
    this.#body.fail(cause);
  }

  /** Called when there will be no response. Retries a GET if the connection was closed while it was idle. */
  #fail(cause: unknown, socketCode?: string): void {
    if (this.#isSettled) return;
    const error = this.#broken(cause, socketCode);
    const isReset = error.socketCode === "ECONNRESET" || error.socketCode === "EPIPE";
    const isStale = isReset && this.#connection?.isUsed === true && !this.#reader.hasBegun;
    this.#giveUp(error, isStale && this.#request.method === "GET");
  }

  #giveUp(reason: unknown, isStale = false): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#unlimit();
    this.#isOver = true;
    this.#removeAbortListener();
    if (this.#connection === undefined) this.#endDial();
    else this.#connection.drop();
    const { options, reject, tries } = this.#attempt;
    if (isStale && tries < staleMax) return new Exchange(this.#request, { ...this.#attempt, tries: tries + 1 }).begin();
    options.onEnd();
    reject(reason);
  }

  /** Marks the exchange as ended. Returns false if it already was. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#removeAbortListener();
    this.#options.onEnd();
    return true;
  }

  #removeAbortListener(): void {
    const { signal } = this.#request;
    if (signal !== undefined) removeAbortListener(signal, this);
  }

  #limit(ms: number, awaited: string): void {
    const { deadlines } = this.#options;
    if (this.at !== Infinity) deadlines.delete(this);
    this.at = ms === Infinity ? Infinity : deadlines.now() + ms;
    this.#limitMs = ms;
    this.#awaited = awaited;
    if (ms !== Infinity) deadlines.add(this);
  }

  #unlimit(): void {
    if (this.at !== Infinity) this.#options.deadlines.delete(this);
    this.at = Infinity;
  }

  #broken(cause: unknown, socketCode?: string): NetworkError {
    const { method, path } = this.#request;
    const request = { method, path: pathWithoutQuery(path) };
    return new NetworkError({ socketCode, request, requestSent: this.#isSent ? undefined : false }, { cause });
  }
}

/** A response whose headers are parsed on first use. */
class LazyResponse implements Response {
  readonly status: number;
  readonly mayWarn: boolean;
  readonly body: ResponseBody;
  readonly #head: ResponseHead;

  constructor(head: ResponseHead, body: ResponseBody) {
    this.status = head.status;
    this.mayWarn = head.mayWarn;
    this.body = body;
    this.#head = head;
  }

  get headers(): Response["headers"] {
    return this.#head.headers;
  }
}

/** Returns an error like that of Node for a connection that the peer has closed. */
function closedEarly(): Error {
  return Object.assign(new Error("the connection was closed before the end of the response"), { code: "ECONNRESET" });
}
