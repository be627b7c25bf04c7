import { type ApiError, apiErrorFrom, type ApiRequest, type Clock, formatGroupResource } from "@homeostat/core";
import { MalformedAnswerError, TooLongError } from "../errors.ts";
import type { Request, Response, Subject, Timeouts, Transport } from "../transport/transport.ts";
import type { PathResource } from "./paths.ts";

/** What every call takes. */
export interface CallOptions {
  /** Time limits other than the defaults. */
  readonly timeouts?: Timeouts;
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What the calls of one client share. */
export interface Caller {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly defaults: WriteDefaults;
}

/** What writes say unless a call says otherwise. */
export interface WriteDefaults {
  /** The name under which fields are owned. The server's default is the program's user agent. */
  readonly fieldManager?: string;
  /** What the server does about fields it does not know. The server's default is to warn. */
  readonly fieldValidation?: FieldValidation;
  /** Whether every write is a dry run: checked and answered, but not stored. */
  readonly dryRun?: boolean;
}

/** `Strict` refuses unknown and doubled fields, `Warn` warns of them, `Ignore` says nothing. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

const failureBytesMax = 1024 * 1024;
const answerBytesMax = 256 * 1024 * 1024;

/** Sends a request and resolves with a success; anything else is thrown as an `ApiError`, which `onFailure` may refine. */
export async function call(
  { transport, clock }: Caller,
  request: Request,
  onFailure: (error: ApiError, body: string) => Error = (error) => error,
): Promise<Response> {
  const response = await transport.send(request);
  if (isSuccess(response)) return response;
  throw await failureOf(response, request, clock, onFailure);
}

/** Whether an answer is a success. */
export function isSuccess({ status }: Response): boolean {
  return status >= 200 && status < 300;
}

/** What to throw for an answer that is no success. */
export async function failureOf(
  response: Response,
  request: Request,
  clock: Clock,
  onFailure: (error: ApiError, body: string) => Error = (error) => error,
): Promise<Error> {
  const { status, headers } = response;
  const body = await readFailure(response);
  return onFailure(apiErrorFrom({ status, body, headers, request: placeOf(request), now: clock.now() }), body);
}

/** Sends a request and reads its answer as JSON. */
export async function callJson(caller: Caller, request: Request): Promise<unknown> {
  return readJson(request, await call(caller, request));
}

/** The whole body of an answer, parsed. Anything but JSON is a {@link MalformedAnswerError}. */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  return parseAnswer(await readWhole(request, response), request, response);
}

/** The whole body of an answer. */
export async function readWhole(request: Request, response: Response): Promise<Buffer> {
  const whole = response.body.takeWhole?.();
  if (whole !== undefined) return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > answerBytesMax) {
      throw new TooLongError(`the answer to ${request.method} ${placeOf(request).path}`, answerBytesMax);
    }
  }
  return Buffer.concat(pieces);
}

/** The JSON in the body of an answer. Anything else is a {@link MalformedAnswerError}. */
export function parseAnswer(bytes: Buffer, request: Request, response: Response): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw malformed(request, `the answer is ${kindOfAnswer(response)}, not JSON`, withoutText(cause));
  }
}

/** The error for an answer that is not what it should be. Never quotes the answer: it may hold a secret. */
export function malformed(request: Request, problem: string, cause?: unknown): MalformedAnswerError {
  return new MalformedAnswerError({ problem, request: placeOf(request) }, cause === undefined ? undefined : { cause });
}

/** An error of the JSON parser without the text it quotes, which may hold a secret. */
export function withoutText(cause: unknown): Error {
  const place = cause instanceof Error ? /position \d+/.exec(cause.message)?.[0] : undefined;
  return new SyntaxError(`malformed JSON${place === undefined ? "" : ` at ${place}`}`);
}

/** The request as errors name it. */
export function placeOf({ method, path }: Request): ApiRequest {
  return { method, path: path.split("?", 1)[0] ?? "" };
}

/** Which object, or which part of it, a request is about; none for a collection. */
interface Target {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
}

/** What a request is about, for metrics and spans. */
export function subjectOf(verb: string, type: PathResource, { name, namespace, subresource }: Target = {}): Subject {
  const resource = formatGroupResource(type);
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name === undefined ? {} : { key: namespace === undefined || namespace === "" ? name : `${namespace}/${name}` }),
  };
}

/** What an error has to say, or as much of it as arrives. */
async function readFailure(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > failureBytesMax) break;
    }
  } catch {
    // The status alone is worth more than the news that its explanation was cut off.
  }
  return Buffer.concat(pieces).toString("utf8");
}

function kindOfAnswer({ headers }: Response): string {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim();
  return type === undefined || type === "" || type === "application/json" ? "broken" : type.slice(0, 80);
}
