// Asks a server without a socket, for tests.

import { type JsonRecord, isRecord } from "@homeostat/core";
import type { Answer, ServerRequest } from "../http/handler.ts";
import { parseQuery } from "../request/query.ts";
import { requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import type { ApiServer } from "./api-server.ts";

/** A request of a test. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who asks; by default the one who may do everything. */
  readonly user?: string;
}

/** What was answered. */
export interface Told {
  readonly status: number;
  readonly type: string;
  readonly warnings: readonly string[];
  readonly text: string;
  /** The answer as JSON; empty where it is none. */
  readonly body: JsonRecord;
}

/** Sends a request to the handler of a server and reads the whole answer. */
export async function ask(server: ApiServer, asked: Asked): Promise<Told> {
  await server.ready();
  const answer = await server.handler(requestOf(asked), new AbortController().signal);
  return told(answer, "body" in answer ? textOf(answer.body) : await allOf(answer.stream));
}

/** Begins a watch and gives its events one by one. */
export async function* watch(
  server: ApiServer,
  asked: Asked,
  signal: AbortSignal,
): AsyncGenerator<JsonRecord, void, undefined> {
  await server.ready();
  const answer = await server.handler(requestOf(asked), signal);
  if (!("stream" in answer)) throw new Error(`no stream: ${textOf(answer.body)}`);
  for await (const piece of answer.stream) {
    for (const line of textOf(piece).split("\n")) if (line !== "") yield recordOf(JSON.parse(line));
  }
}

/** Returns a request as the front of a server would hand it over. */
export function requestOf({ method = "GET", path, body, headers = {}, user }: Asked): ServerRequest {
  const target = parseRequestTarget(path);
  if (target === undefined) throw new Error(`${path} is no path`);
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

function told({ status, headers = {}, warnings = [] }: Answer, text: string): Told {
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
