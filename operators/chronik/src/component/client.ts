import { type Clock, NetworkError } from "@homeostat/core";
import { type HttpRequest, type HttpResponse, HttpResponseError, sendHttp } from "@homeostat/http";
import { traceHeaders, type Tracing } from "@homeostat/runtime";
import {
  type ComponentResult,
  componentPort,
  type DrainView,
  type MemberChange,
  type NewVoter,
  type QuorumView,
  type RestartCheckView,
  type VoterIdentity,
} from "./contract.ts";
import { bodyBytesMax, parseDrain, parseLeader, parseQuorum, parseRestartCheck } from "./parse.ts";

/** Time limit of one call, from the connection to the end of the body. */
export const callTimeoutMs = 2_000;

/** A pod to call. */
export interface ComponentTarget {
  readonly ip: string;
  /** Id of the member, its ordinal + 1. A response in the name of another member is a contradiction. */
  readonly nodeId: number;
  /** Value of the header `X-API-Key`; undefined to send none. */
  readonly apiKey?: string | undefined;
}

/** The address to connect to for a port of a pod; undefined when nothing listens there. */
export type ResolvePod = (ip: string, port: number) => { readonly host: string; readonly port: number } | undefined;

/** Sends a request to a pod. Rejects with a `NetworkError` or with the reason of the signal. */
export type SendToPod = (
  request: HttpRequest & { readonly bodyBytesMax: number },
) => Promise<Pick<HttpResponse, "status" | "body">>;

/** Options of {@link ComponentClient}. */
export interface ComponentClientOptions {
  readonly clock: Pick<Clock, "timeout">;
  /** Records each call as a span. */
  readonly tracing?: Tracing | undefined;
  /** Default: the address of the pod itself. Embedded clusters map it to a port of this machine. */
  readonly resolve?: ResolvePod | undefined;
  /** Default: over a socket. Simulations in virtual time call components in this process. */
  readonly send?: SendToPod | undefined;
}

interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Calls the component contract of pods by their address.
 *
 * A failed call is a result, not an exception: the caller decides on what is known. Every method rejects only with the reason of `signal`.
 */
export class ComponentClient {
  readonly #clock: Pick<Clock, "timeout">;
  readonly #resolve: ResolvePod;
  readonly #tracing: Tracing | undefined;
  readonly #sendHttp: SendToPod;

  constructor({ clock, tracing, resolve = (host, port) => ({ host, port }), send = sendHttp }: ComponentClientOptions) {
    this.#clock = clock;
    this.#tracing = tracing;
    this.#sendHttp = send;
    this.#resolve = resolve;
  }

  /** Returns the quorum as a controller sees it. */
  async quorum(target: ComponentTarget, signal: AbortSignal): Promise<ComponentResult<QuorumView>> {
    return this.#read(target, { method: "GET", path: "/quorum" }, signal, (body) => parseQuorum(body, target.nodeId));
  }

  /** Adds a voter. The target must be the leader. */
  async addMember(
    target: ComponentTarget,
    voter: NewVoter,
    signal: AbortSignal,
  ): Promise<ComponentResult<MemberChange>> {
    const { id, incarnation, address } = voter;
    return this.#change(target, { method: "POST", path: "/members/add", body: { id, incarnation, address } }, signal);
  }

  /** Removes a voter. The target must be the leader. */
  async removeMember(
    target: ComponentTarget,
    voter: VoterIdentity,
    signal: AbortSignal,
  ): Promise<ComponentResult<MemberChange>> {
    const { id, incarnation } = voter;
    return this.#change(target, { method: "POST", path: "/members/remove", body: { id, incarnation } }, signal);
  }

  /** Moves the leadership from the target to another voter. Images need not offer this. */
  async transferLeader(target: ComponentTarget, signal: AbortSignal): Promise<ComponentResult<MemberChange>> {
    return this.#change(target, { method: "POST", path: "/leader/transfer" }, signal);
  }

  /** Returns the progress of a drain. */
  async drain(target: ComponentTarget, signal: AbortSignal): Promise<ComponentResult<DrainView>> {
    return this.#read(target, { method: "GET", path: "/drain" }, signal, parseDrain);
  }

  /** Starts a drain. */
  async startDrain(target: ComponentTarget, signal: AbortSignal): Promise<ComponentResult<DrainView>> {
    return this.#read(target, { method: "POST", path: "/drain" }, signal, parseDrain);
  }

  /** Cancels a drain. */
  async cancelDrain(target: ComponentTarget, signal: AbortSignal): Promise<ComponentResult<DrainView>> {
    return this.#read(target, { method: "DELETE", path: "/drain" }, signal, parseDrain);
  }

  /** Returns whether a restart of an ingest node is safe now. */
  async restartCheck(target: ComponentTarget, signal: AbortSignal): Promise<ComponentResult<RestartCheckView>> {
    return this.#read(target, { method: "GET", path: "/restart-check" }, signal, parseRestartCheck);
  }

  async #read<Value>(
    target: ComponentTarget,
    call: Call,
    signal: AbortSignal,
    parse: (body: Buffer) => ComponentResult<Value>,
  ): Promise<ComponentResult<Value>> {
    const reply = await this.#send(target, call, signal);
    if ("type" in reply) return reply;
    return reply.status === 200 || reply.status === 202 ? parse(reply.body) : failureOf(reply.status);
  }

  async #change(target: ComponentTarget, call: Call, signal: AbortSignal): Promise<ComponentResult<MemberChange>> {
    const reply = await this.#send(target, call, signal);
    if ("type" in reply) return reply;
    const { status, body } = reply;
    if (status === 200) return { type: "response", value: { type: "done" } };
    if (status === 202) return { type: "response", value: { type: "inProgress" } };
    if (status === 409) return { type: "response", value: { type: "notLeader", leaderId: parseLeader(body) } };
    return failureOf(status);
  }

  /** Sends a call, in a span if there is tracing. */
  async #send(target: ComponentTarget, call: Call, signal: AbortSignal): Promise<Reply | ComponentResult<never>> {
    if (this.#tracing === undefined) return this.#exchange(target, call, { signal, headers: {} });
    const { method, path } = call;
    return this.#tracing.span(
      `component ${path}`,
      { "http.request.method": method, "server.address": target.ip },
      async (span) => {
        const reply = await this.#exchange(target, call, { signal, headers: { ...traceHeaders(span) } });
        span.set(
          "status" in reply ? { "http.response.status_code": reply.status } : { "component.result": reply.type },
        );
        return reply;
      },
      { kind: "client" },
    );
  }

  async #exchange(
    { ip, apiKey }: ComponentTarget,
    { method, path, body }: Call,
    { signal, headers }: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
  ): Promise<Reply | ComponentResult<never>> {
    signal.throwIfAborted();
    const address = this.#resolve(ip, componentPort);
    if (address === undefined) return { type: "notOffered" };
    using timeout = this.#clock.timeout(callTimeoutMs);
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      return await this.#sendHttp({
        ...address,
        method,
        path,
        headers: {
          ...headers,
          accept: "application/json",
          // Calls are rare, and a kept connection to a pod that restarts would only fail later.
          connection: "close",
          ...(text === undefined ? { "content-length": "0" } : { "content-type": "application/json" }),
          ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
        },
        body: text,
        signal: AbortSignal.any([signal, timeout.signal]),
        bodyBytesMax,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.signal.aborted) return { type: "timeout" };
      if (!(error instanceof NetworkError)) throw error;
      return connectionFailure(error);
    }
  }
}

function failureOf(status: number): ComponentResult<never> {
  return status === 404 || status === 501 ? { type: "notOffered" } : { type: "refused", status };
}

function connectionFailure(error: NetworkError): ComponentResult<never> {
  const { socketCode, cause } = error;
  if (socketCode === "ECONNREFUSED") return { type: "notOffered" };
  if (socketCode === "ETIMEDOUT") return { type: "timeout" };
  if (cause instanceof HttpResponseError) {
    const { problem } = cause;
    if (problem !== "closed") return { type: "malformed", message: httpProblems[problem] };
    return { type: "unreachable", message: "closed the connection without a response" };
  }
  // A parser error of HTTP has no socket code: the peer does not speak HTTP.
  if (socketCode === undefined) return { type: "malformed", message: "the response is not HTTP" };
  return { type: "unreachable", message: socketCode };
}

const httpProblems: Readonly<Record<Exclude<HttpResponseError["problem"], "closed">, string>> = {
  upgrade: "switched to another protocol",
  interim: "sent too many interim responses",
  size: "the body is too large",
};
