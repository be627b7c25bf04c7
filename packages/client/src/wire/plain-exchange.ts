import { type Clock, DeadlineError, NetworkError } from "@homeostat/core";
import { type AbortHearer, hearAbort, unhearAbort } from "../internal/on-abort.ts";
import { defaultTimeouts } from "../sockets/exchange.ts";
import { pathOnly } from "../sockets/path-only.ts";
import type { Request, Response } from "../transport/transport.ts";
import { AnswerBody, type AnswerSource } from "./answer-body.ts";
import type { AnswerHead } from "./answer-head.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import type { Line, LineUser } from "./line.ts";
import type { Lines } from "./lines.ts";
import { formatRequestLine } from "./request-head.ts";

/** Where and how one exchange takes place. */
export interface PlainExchangeOptions {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly lines: Lines;
  /** The headers as they are written, credentials included. */
  readonly headers: string;
  /** Whether it is known that they are ASCII. */
  readonly isAscii: boolean;
  /** Called once, when the exchange is over: the body has arrived or was given up, or there was no answer. */
  readonly onEnd: () => void;
}

/** How often a request that only reads is tried on idle connections that turn out to be closed. */
const staleMax = 3;

/**
 * Sends one request whose answer has an end of its own, and resolves with the head of the answer, whatever its status.
 *
 * Does for `GET`, `POST` and so on what Node's client does, for a quarter of its cost: one listener per connection rather
 * than a dozen per request, and no streams. Rejects with a `NetworkError` when no answer comes, and with the signal's
 * reason when that aborts. A server may close an idle connection at the very moment we use it: what only reads is then
 * sent again on another one.
 */
export function plainExchange(request: Request, options: PlainExchangeOptions): Promise<Response> {
  return new Promise((resolve, reject) => new Exchange(request, { options, resolve, reject, tries: 1 }).begin());
}

/** What all tries of one exchange have in common, and which it is. */
interface Attempt {
  readonly options: PlainExchangeOptions;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
  readonly tries: number;
}

/** One try: from an idle or a new connection to the end of the answer. */
class Exchange implements LineUser, AnswerSource, AbortHearer, Deadline {
  readonly clock: Clock;
  readonly idleMs: number;
  at = Infinity;
  place = -1;
  readonly #request: Request;
  readonly #options: PlainExchangeOptions;
  readonly #attempt: Attempt;
  readonly #reader: AnswerReader;
  readonly #body: AnswerBody;
  #line: Line | undefined;
  /** Ends the attempt to connect through a proxy. */
  #endDial: () => void = () => undefined;
  /** How long is waited at present, and for what. */
  #limitMs = Infinity;
  #awaited = "";
  #isSent = false;
  /** Whether there will be no answer any more, or it has been handed over. */
  #isSettled = false;
  #isOver = false;

  constructor(request: Request, attempt: Attempt) {
    this.#request = request;
    this.#attempt = attempt;
    this.#options = attempt.options;
    this.clock = attempt.options.clock;
    this.idleMs = request.timeouts?.idleMs ?? defaultTimeouts.idleMs;
    this.#body = new AnswerBody(this);
    this.#reader = new AnswerReader(this.#body);
  }

  // ── what the body needs ──

  hold(isHeld: boolean): void {
    if (this.#isOver || this.#line === undefined) return;
    // So much does not wait for the rest: it has to be read first.
    if (isHeld) this.#answer();
    if (isHeld) this.#line.socket.pause();
    else this.#line.socket.resume();
  }

  abandon(): void {
    this.#break(new Error("given up"));
  }

  broken(cause: unknown): unknown {
    const { signal } = this.#request;
    return signal?.aborted === true ? signal.reason : this.#broken(cause);
  }

  // ── the beginning ──

  begin(): void {
    const { signal, timeouts } = this.#request;
    if (signal?.aborted === true) return this.#giveUp(signal.reason);
    if (signal !== undefined) hearAbort(signal, this);
    const { lines, deadlines } = this.#options;
    const idle = lines.take(deadlines.now());
    if (idle !== undefined) return this.#use(idle);
    this.#limit(timeouts?.connectMs ?? defaultTimeouts.connectMs, "no connection");
    try {
      this.#endDial = lines.open((error, line) => {
        if (line === undefined) return this.#fail(error);
        if (this.#isSettled) return line.drop();
        this.#use(line);
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  // ── what the line tells ──

  receive(piece: Buffer): void {
    try {
      this.#reader.push(piece);
    } catch (error) {
      this.#answer();
      return this.#break(error);
    }
    if (this.#isSettled) {
      if (this.#reader.isDone) this.#done();
    } else if (this.#reader.isDone) {
      this.#answer();
      this.#done();
    } else if (this.#request.isWhole !== true) this.#answer();
    else if (this.#reader.head !== undefined) this.#limit(this.idleMs, "no more of the answer");
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
      this.#answer();
      this.#done();
    } else this.#break(error ?? closedEarly());
  }

  // ── the way there ──

  /** Writes the request, as soon as the connection stands. */
  #use(line: Line): void {
    this.#line = line;
    const { isWhole = false, timeouts } = this.#request;
    line.take(this, isWhole && timeouts === undefined);
    const { socket } = line;
    const isSecure = "secureConnecting" in socket;
    if (socket.connecting || (isSecure && socket.secureConnecting === true)) {
      socket.once(isSecure ? "secureConnect" : "connect", () => this.#write());
    } else this.#write();
  }

  #write(): void {
    if (this.#isSettled || this.#line === undefined) return;
    const { method, path, body, timeouts, beforeSending } = this.#request;
    const { socket } = this.#line;
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
    this.#limit(timeouts?.headersMs ?? defaultTimeouts.headersMs, "no answer");
    if (typeof body === "string" && (this.#options.isAscii || !/[\x80-\xff]/.test(this.#options.headers))) {
      // The first line is ASCII in any case.
      socket.write(head + body, "utf8");
      return;
    }
    socket.cork();
    socket.write(head, "latin1");
    if (body !== undefined) socket.write(body);
    socket.uncork();
  }

  // ── the way back ──

  /** Hands the answer over when its head is there. */
  #answer(): void {
    const { head } = this.#reader;
    if (head === undefined || this.#isSettled) return;
    this.#isSettled = true;
    this.#unlimit();
    this.#attempt.resolve(new Answer(head, this.#body));
  }

  /** The answer is whole: the connection is free. */
  #done(): void {
    if (!this.#end()) return;
    this.#body.finish();
    const { lines, deadlines } = this.#options;
    if (this.#line === undefined) return;
    // Held back for a slow reader, it would stay so for whoever uses it next.
    if (this.#line.socket.isPaused()) this.#line.socket.resume();
    if (this.#reader.isKept) lines.giveBack(this.#line, deadlines.now());
    else this.#line.drop();
  }

  /** The connection broke, or nobody needs it any more. */
  #break(cause: unknown): void {
    if (!this.#isSettled) return this.#fail(cause);
    if (!this.#end()) return;
    this.#line?.drop();
    this.#body.fail(cause);
  }

  /** There will be no answer. */
  #fail(cause: unknown, socketCode?: string): void {
    if (this.#isSettled) return;
    const error = this.#broken(cause, socketCode);
    const isReset = error.socketCode === "ECONNRESET" || error.socketCode === "EPIPE";
    const isStale = isReset && this.#line?.isUsed === true && !this.#reader.hasBegun;
    this.#giveUp(error, isStale && this.#request.method === "GET");
  }

  #giveUp(reason: unknown, isStale = false): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#unlimit();
    this.#isOver = true;
    this.#unhear();
    if (this.#line === undefined) this.#endDial();
    else this.#line.drop();
    const { options, reject, tries } = this.#attempt;
    if (isStale && tries < staleMax) return new Exchange(this.#request, { ...this.#attempt, tries: tries + 1 }).begin();
    options.onEnd();
    reject(reason);
  }

  /** Notes that the exchange is over; false if it was before. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#unhear();
    this.#options.onEnd();
    return true;
  }

  #unhear(): void {
    const { signal } = this.#request;
    if (signal !== undefined) unhearAbort(signal, this);
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
    const request = { method, path: pathOnly(path) };
    return new NetworkError({ socketCode, request, requestSent: this.#isSent ? undefined : false }, { cause });
  }
}

/** An answer whose headers are read when somebody asks for them. */
class Answer implements Response {
  readonly status: number;
  readonly mayWarn: boolean;
  readonly body: AnswerBody;
  readonly #head: AnswerHead;

  constructor(head: AnswerHead, body: AnswerBody) {
    this.status = head.status;
    this.mayWarn = head.mayWarn;
    this.body = body;
    this.#head = head;
  }

  get headers(): Response["headers"] {
    return this.#head.headers;
  }
}

/** The error that Node gives to a connection which the other side has closed. */
function closedEarly(): Error {
  return Object.assign(new Error("the connection was closed before the end of the answer"), { code: "ECONNRESET" });
}
