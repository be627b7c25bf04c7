import { type Clock, isRecord, type JsonRecord } from "@homeostat/core";
import type { User } from "../auth/user.ts";
import { type HandlerResponse, headerOf, type ServerRequest } from "../http/handler.ts";
import type { AuditSink } from "./audit-log.ts";
import { auditEvent, type AuditedOutcome } from "./event.ts";

/** Collects what the pipeline learns about one request, and writes its audit event at the end. */
export class AuditRecord {
  user: User | undefined;
  impersonated: User | undefined;
  /** Verb that authorized the impersonation, if it is constrained. */
  constraint: string | undefined;
  decision: { readonly isAllowed: boolean; readonly reason: string } | undefined;
  readonly #request: ServerRequest;
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  readonly #receivedAt: number;
  #isWritten = false;

  constructor(request: ServerRequest, { sink, clock }: { readonly sink: AuditSink; readonly clock: Clock }) {
    this.#request = request;
    this.#sink = sink;
    this.#clock = clock;
    this.#receivedAt = clock.now();
  }

  /** Writes the event of a response; of a stream when it has ended. Returns the response to send. */
  async responded(response: HandlerResponse): Promise<HandlerResponse> {
    const sent = await sentMetadata(this.#request);
    if (!("stream" in response)) {
      this.#write({ response }, sent);
      return response;
    }
    return { ...response, stream: observed(response.stream, () => this.#write({ response }, sent)) };
  }

  /** Writes the event of a request that was rejected or whose handler threw. */
  async failed(outcome: AuditedOutcome): Promise<void> {
    this.#write(outcome, this.decision?.isAllowed === true ? await sentMetadata(this.#request) : undefined);
  }

  #write(outcome: AuditedOutcome, sent: JsonRecord | undefined): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    const { user, impersonated, constraint, decision } = this;
    const times = { receivedAt: this.#receivedAt, endedAt: this.#clock.now() };
    this.#sink(
      auditEvent({ request: this.#request, user, impersonated, constraint, decision, sent, outcome, ...times }),
    );
  }
}

/** Returns the metadata of the object in a JSON body of a create or update; undefined if there is none. */
async function sentMetadata(request: ServerRequest): Promise<JsonRecord | undefined> {
  const { info, headers } = request;
  const type = headerOf(headers, "content-type") ?? "application/json";
  if (!info.isResource || !["create", "update"].includes(info.verb) || !type.startsWith("application/json")) {
    return undefined;
  }
  try {
    const object: unknown = JSON.parse(Buffer.from(await request.body()).toString("utf8"));
    const metadata = isRecord(object) ? object["metadata"] : undefined;
    return isRecord(metadata) ? metadata : undefined;
  } catch {
    // The response to the request reports a body that cannot be read or parsed.
    return undefined;
  }
}

/** Calls a function when a stream has ended: by itself, by an error, or because its reader left. */
function observed<T>(stream: AsyncIterable<T>, ended: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await iterator.next();
            if (result.done === true) ended();
            return result;
          } catch (error) {
            ended();
            throw error;
          }
        },
        async return() {
          ended();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
