import type { Agent, ClientRequestArgs } from "node:http";
import { Socket } from "node:net";
import { dialUntil } from "../sockets/proxy.ts";
import { Line } from "./line.ts";
import { Reading } from "./reading.ts";

/**
 * Opens a connection, and calls back with it before or after it stands; see `Agent.createConnection`.
 *
 * Returns a function that ends the attempt while a proxy has not connected yet. Afterwards the socket has to be closed instead.
 */
export type OpenSocket = (callback: (error: Error | null, socket?: Socket) => void, onread: Reading) => () => void;

/** More idle lines than this are not kept. */
const idleMax = 32;

/** What nobody has used for so long is not used again: an API server closes it after 90 s, balancers sooner. */
const idleMsMax = 55_000;

/** The open connections for requests with an answer of their own length. The one used last is used next. */
export class Lines {
  readonly #open: OpenSocket;
  readonly #all = new Set<Line>();
  #idle: Line[] = [];
  #isRetired = false;

  constructor(open: OpenSocket) {
    this.#open = open;
  }

  /** Whether any connection is open. */
  get isInUse(): boolean {
    return this.#all.size > 0;
  }

  /** A line that is open and idle, if there is one. Times are of the monotonic clock. */
  take(now: number): Line | undefined {
    const line = this.#idle.pop();
    if (line === undefined || now - line.idleSince <= idleMsMax) return line;
    // The others have been idle for longer.
    line.drop();
    for (const other of this.#idle.splice(0)) other.drop();
    return undefined;
  }

  /** Opens a line. Calls back at once or later, once, with a socket that may still be connecting. Returns what ends the attempt. */
  open(callback: (error: Error | null, line?: Line) => void): () => void {
    const reading = new Reading();
    return this.#open((error, socket) => {
      if (socket === undefined) return callback(error ?? new Error("no connection"));
      const line = new Line(socket, (over) => this.#forget(over));
      reading.taker = line;
      this.#all.add(line);
      callback(null, line);
    }, reading);
  }

  /** Gives a line back that can be used again. */
  giveBack(line: Line, now: number): void {
    line.release(now);
    if (this.#isRetired || line.isOver || this.#idle.length >= idleMax) line.drop();
    else this.#idle.push(line);
  }

  /** Closes what is idle, and from now on what becomes so. */
  retire(): void {
    this.#isRetired = true;
    for (const line of this.#idle) line.drop();
    this.#idle = [];
  }

  /** Closes everything; whoever uses a line is told. */
  close(): void {
    this.retire();
    for (const line of this.#all) line.socket.destroy();
  }

  #forget(line: Line): void {
    this.#all.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/** The connections that an agent would open, through its proxy and with its certificates. */
export function opener(agent: Agent, options: ClientRequestArgs): OpenSocket {
  return (callback, onread) => {
    let isCalled = false;
    const once: typeof callback = (error, socket) => {
      if (isCalled) return;
      isCalled = true;
      callback(error, socket);
    };
    const dialing = new AbortController();
    const more: object = { onread, ...dialUntil(dialing.signal) };
    const socket = agent.createConnection({ ...options, ...more }, (error, stream) =>
      once(error, stream instanceof Socket ? stream : undefined),
    );
    if (socket instanceof Socket) once(null, socket);
    return () => dialing.abort();
  };
}
