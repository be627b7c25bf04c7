import type { Readable } from "node:stream";
import { type Clock, DeadlineError, type Random, uuid } from "@homeostat/core";
import { wantsPretty } from "../request/pretty.ts";
import { parseQuery } from "../request/query.ts";
import { isLongRunning, requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import { requestTimeoutMs } from "../request/request-timeout.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { answerWithFaults, type Faults } from "./faults.ts";
import {
  type Answer,
  type Handler,
  headerOf,
  plainText,
  type RequestHeaders,
  type ServerRequest,
  textError,
} from "./handler.ts";
import { hostOf, hostProblem } from "./host-check.ts";
import type { HttpObserver } from "./observer.ts";
import type { Peer } from "./peer.ts";
import { nothingThere, type RawAnswer } from "./raw-refusal.ts";
import { readBody } from "./read-body.ts";
import { panicked, shuttingDown, statusAnswer, timedOut } from "./status-answer.ts";

/** What requests are answered with. */
export interface ExchangeSettings {
  readonly handler: Handler;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: HttpObserver;
  readonly faults: Faults;
  /** Names beside those of this machine that the server answers for, as `normalHost` writes them. */
  readonly hosts: ReadonlySet<string>;
  readonly bodyBytesMax: number;
  /** The longest that a request may take which is no watch or stream. */
  readonly timeoutMs: number;
}

/** A request as it came off the wire. */
export interface Arrival {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Of the `Host` header or HTTP/2's `:authority`. */
  readonly host: string | undefined;
  readonly peer: Peer;
  readonly input: Readable;
  /** Cuts the connection, or the stream of one that has several. */
  readonly cut: () => void;
  /** What is answered to it where it cannot be taken for a request. */
  readonly problem?: RawAnswer;
}

/** A request that is being answered. */
export interface Exchange {
  readonly auditId: string;
  /** Undefined for one that was refused before anything was known about it. */
  readonly request: ServerRequest | undefined;
  readonly isLong: boolean;
  /** Whether the answer comes from before any handler, and carries no headers but its own. */
  readonly isBare: boolean;
  readonly answer: Promise<Answer | "cut">;
  /** Aborting it tells the handler that nobody waits any more. */
  readonly controller: AbortController;
}

const bad: RawAnswer = { status: "400 Bad Request" };

/** Begins to answer a request. Never throws; nor does its answer. */
export function beginExchange(arrival: Arrival, settings: ExchangeSettings, isStopping: boolean): Exchange {
  const controller = new AbortController();
  const auditId = auditIdOf(arrival.headers, settings.random);
  const refusal = (answer: Answer, isBare = false): Exchange => {
    return { auditId, request: undefined, isLong: false, isBare, answer: Promise.resolve(answer), controller };
  };
  const refuseBare = ({ status, body = status }: RawAnswer): Exchange =>
    refusal({ status: Number(status.slice(0, 3)), headers: { "Content-Type": plainText }, body }, true);
  const { problem } = arrival;
  if (problem !== undefined) return refuseBare(problem);
  const target = parseRequestTarget(arrival.target);
  if (target === undefined) {
    // Asking what a server as a whole can do: Go answers this before any handler sees it.
    if (arrival.target !== "*") return refuseBare(bad);
    return arrival.method === "OPTIONS" ? refusal({ status: 200, body: "" }, true) : refuseBare(nothingThere);
  }
  const query = parseQuery(target.queryText);
  const isPretty = wantsPretty(query, headerOf(arrival.headers, "user-agent"));
  const refuse = (status: ServerStatus): Exchange => refusal(statusAnswer(status, { isPretty }));
  const host = hostOf(target.host ?? arrival.host ?? "");
  if (host === undefined)
    return refuseBare(target.host === undefined ? { ...bad, body: "400 Bad Request: malformed Host header" } : bad);
  const misdirected = hostProblem(host, settings.hosts);
  if (misdirected !== undefined) return refuse(misdirected);
  if (isStopping) return refuse(shuttingDown);

  const { bodyBytesMax, clock } = settings;
  const { signal } = controller;
  let body: Promise<Uint8Array> | undefined;
  try {
    const info = requestInfo({ method: arrival.method, target, query });
    const isLong = isLongRunning(info);
    const request: ServerRequest = {
      method: arrival.method,
      uri: target.uri,
      query,
      headers: arrival.headers,
      info,
      auditId,
      peer: arrival.peer,
      isPretty,
      body: () => (body ??= readBody(arrival.input, { bytesMax: bodyBytesMax, signal })),
    };
    const timeoutMs = isLong ? Infinity : requestTimeoutMs(query, settings.timeoutMs);
    const timer = clock.schedule(timeoutMs, () => controller.abort(new DeadlineError(timeoutMs)));
    const answer = answerRequest(request, controller, settings).finally(() => timer[Symbol.dispose]());
    return { auditId, request, isLong, isBare: false, answer, controller };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { reason, code = 500 } = error.status;
    return reason === undefined ? refusal(textError(code, error.message), true) : refuse(error.status);
  }
}

/** The handler's answer; or, when it fails or takes too long, the server's own. */
async function answerRequest(
  request: ServerRequest,
  controller: AbortController,
  settings: ExchangeSettings,
): Promise<Answer | "cut"> {
  const { signal } = controller;
  let leave: (() => void) | undefined;
  const late = new Promise<Answer>((resolve) => {
    leave = () => resolve(statusAnswer(timedOut, { isPretty: request.isPretty }));
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([answerWithFaults(request, signal, settings), late]);
  } catch (error) {
    // Who accepts nothing that there is gets the refusal in the form for people, as from the real server.
    if (error instanceof StatusError)
      return statusAnswer(error.status, { isPretty: request.isPretty || error.status.code === 406 });
    // What is thrown after the signal is its consequence.
    if (signal.aborted) return await late;
    settings.observer.panicked?.(request, error);
    return statusAnswer(panicked, { isPretty: request.isPretty });
  } finally {
    if (leave !== undefined) signal.removeEventListener("abort", leave);
  }
}

/** The name that the client gives to its request, if it is one that can be sent back; else a new one. */
function auditIdOf(headers: RequestHeaders, random: Random): string {
  const given = headerOf(headers, "audit-id") ?? "";
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/.test(given) ? given : uuid(random);
}
