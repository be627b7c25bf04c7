// Sends requests to a server without a socket, for tests.

import { type JsonRecord, isRecord } from "@homeostat/core";
import type { HandlerResponse, ServerRequest } from "../http/handler.ts";
import { parseQuery } from "../request/query.ts";
import { requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import type { ApiServer } from "../server/api-server.ts";

/** A test request. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** User; default: the administrator. */
  readonly user?: string;
}

/** A response. */
export interface Told {
  readonly status: number;
  readonly type: string;
  readonly warnings: readonly string[];
  readonly text: string;
  /** Body parsed as JSON; empty if it is not a JSON object. */
  readonly body: JsonRecord;
}

/** Sends a request to the handler of a server and reads the whole response. */
export async function ask(server: ApiServer, asked: Asked): Promise<Told> {
  await server.ready();
  const response = await server.handler(requestOf(asked), new AbortController().signal);
  return readResponse(response, "body" in response ? textOf(response.body) : await allOf(response.stream));
}

/** Starts a watch and yields its events. */
export async function* watch(
  server: ApiServer,
  asked: Asked,
  signal: AbortSignal,
): AsyncGenerator<JsonRecord, void, undefined> {
  await server.ready();
  const response = await server.handler(requestOf(asked), signal);
  if (!("stream" in response)) throw new Error(`no stream: ${textOf(response.body)}`);
  for await (const piece of response.stream) {
    for (const line of textOf(piece).split("\n")) if (line !== "") yield recordOf(JSON.parse(line));
  }
}

/** Returns a request as the HTTP server would pass it to the handler. */
export function requestOf({ method = "GET", path, body, headers = {}, user }: Asked): ServerRequest {
  const target = parseRequestTarget(path);
  if (target === undefined) throw new Error(`${path} is not a valid path`);
  const query = parseQuery(target.queryText);
  const sent = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const organizations = user === undefined ? ["system:masters"] : [];
  const certificate = { isTrusted: true, commonName: user ?? "admin", organizations, fingerprint: "AA" };
  return {
    method,
    uri: target.uri,
    query,
    headers: { "user-agent": "test/1", ...headers },
    info: requestInfo({ method, target, query }),
    auditId: "a",
    peer: { address: "127.0.0.1", certificate },
    isPretty: false,
    body: async () => Buffer.from(sent),
  };
}

function readResponse({ status, headers = {}, warnings = [] }: HandlerResponse, text: string): Told {
  const type = headers["Content-Type"];
  return { status, type: typeof type === "string" ? type : "", warnings, text, body: recordOf(parse(text)) };
}

async function allOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = "";
  for await (const piece of stream) text += textOf(piece);
  return text;
}

function textOf(piece: Uint8Array | string): string {
  return typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8");
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
