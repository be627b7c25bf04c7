import { type Random, uuid } from "@homeostat/core";
import { parseQuery } from "../request/query.ts";
import { requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import { StatusError } from "../status/status.ts";
import { type Answer, type Handler, type RequestHeaders, textError } from "./handler.ts";
import type { ClientIdentity } from "./server-certificates.ts";
import { statusAnswer } from "./status-answer.ts";

/** A request from within the process: no socket, no TLS, and the sender is believed. */
export interface LocalRequest {
  readonly method: string;
  /** Path and query: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** By their names in small letters. */
  readonly headers?: RequestHeaders;
  readonly body?: Uint8Array | string;
  readonly identity: ClientIdentity;
}

const none = new Uint8Array();

/**
 * A handler's answer to a request from within the process.
 *
 * What the handler refuses is an answer; what it fails at is thrown.
 */
export async function answerLocally(
  handler: Handler,
  { method, path, headers = {}, body = none, identity }: LocalRequest,
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<Answer> {
  const target = parseRequestTarget(path);
  if (target === undefined) return textError(400, "400 Bad Request");
  const query = parseQuery(target.queryText);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const { user, group } = identity;
  const certificate = {
    isTrusted: true,
    commonName: user,
    organizations: group === undefined ? [] : [group],
    fingerprint: "",
  };
  try {
    const request = {
      method,
      uri: target.uri,
      query,
      headers,
      info: requestInfo({ method, target, query }),
      auditId: uuid(random),
      peer: { address: "127.0.0.1", certificate },
      isPretty: false,
      body: () => Promise.resolve(bytes),
    };
    return await handler(request, signal);
  } catch (error) {
    if (error instanceof StatusError) return statusAnswer(error.status);
    throw error;
  }
}
