import { type ApiError, apiErrorFrom, type ApiRequest, type Clock, formatGroupResource } from "@homeostat/core";
import { MalformedResponseError, TooLongError } from "../errors.ts";
import type { Request, Response, Subject, Timeouts, Transport } from "../transport/transport.ts";
import type { PathResource } from "./paths.ts";

/** Options of every call. */
export interface CallOptions {
  /** Time limits other than the defaults. */
  readonly timeouts?: Timeouts;
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The state that all calls of one client share. */
export interface Caller {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly defaults: WriteDefaults;
}

/** Defaults of the options of writes. */
export interface WriteDefaults {
  /** The field manager. The server derives it from the user agent if it is not set. */
  readonly fieldManager?: string;
  /** The server's treatment of unknown and duplicate fields. Its default is `Warn`. */
  readonly fieldValidation?: FieldValidation;
  /** Makes every write a dry run: validated and admitted, but not stored. */
  readonly dryRun?: boolean;
}

/** `Strict` rejects unknown and duplicate fields, `Warn` returns warnings about them, `Ignore` drops them silently. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

const failureBytesMax = 1024 * 1024;
const responseBytesMax = 256 * 1024 * 1024;

/** Sends a request and returns a successful response. Any other status is thrown as an `ApiError`, which `onFailure` may replace. */
export async function call(
  { transport, clock }: Caller,
  request: Request,
  onFailure: (error: ApiError, body: string) => Error = (error) => error,
): Promise<Response> {
  const response = await transport.send(request);
  if (isSuccess(response)) return response;
  throw await failureOf(response, request, clock, onFailure);
}

/** Reports whether a response has a 2xx status. */
export function isSuccess({ status }: Response): boolean {
  return status >= 200 && status < 300;
}

/** Returns the error to throw for a response without a 2xx status. */
export async function failureOf(
  response: Response,
  request: Request,
  clock: Clock,
  onFailure: (error: ApiError, body: string) => Error = (error) => error,
): Promise<Error> {
  const { status, headers } = response;
  const body = await readFailure(response);
  return onFailure(apiErrorFrom({ status, body, headers, request: requestInfo(request), now: clock.now() }), body);
}

/** Sends a request and parses the response as JSON. */
export async function callJson(caller: Caller, request: Request): Promise<unknown> {
  return readJson(request, await call(caller, request));
}

/** Reads the whole body of a response and parses it as JSON. Throws a {@link MalformedResponseError} if it is not JSON. */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  return parseResponse(await readWhole(request, response), request, response);
}

/** Reads the whole body of a response. Throws a {@link TooLongError} beyond 256 MiB. */
export async function readWhole(request: Request, response: Response): Promise<Buffer> {
  const whole = response.body.takeWhole?.();
  if (whole !== undefined) return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > responseBytesMax) {
      throw new TooLongError(`the response to ${request.method} ${requestInfo(request).path}`, responseBytesMax);
    }
  }
  return Buffer.concat(pieces);
}

/** Parses the body of a response as JSON. Throws a {@link MalformedResponseError} if it is not JSON. */
export function parseResponse(bytes: Buffer, request: Request, response: Response): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw malformed(request, `the response is ${contentKind(response)}, not JSON`, withoutText(cause));
  }
}

/** Builds the error for an unexpected response. `problem` must not quote the response, which may contain a secret. */
export function malformed(request: Request, problem: string, cause?: unknown): MalformedResponseError {
  return new MalformedResponseError(
    { problem, request: requestInfo(request) },
    cause === undefined ? undefined : { cause },
  );
}

/** Returns a copy of an error of the JSON parser without the text that it quotes, which may contain a secret. */
export function withoutText(cause: unknown): Error {
  const position = cause instanceof Error ? /position \d+/.exec(cause.message)?.[0] : undefined;
  return new SyntaxError(`malformed JSON${position === undefined ? "" : ` at ${position}`}`);
}

/** Returns method and path of a request for error messages, without the query. */
export function requestInfo({ method, path }: Request): ApiRequest {
  return { method, path: path.split("?", 1)[0] ?? "" };
}

/** The object or subresource that a request is about; empty for a collection. */
interface Target {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Describes the verb and object of a request, for metrics and spans. */
export function subjectOf(verb: string, type: PathResource, { name, namespace, subresource }: Target = {}): Subject {
  const resource = formatGroupResource(type);
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name === undefined ? {} : { key: namespace === undefined || namespace === "" ? name : `${namespace}/${name}` }),
  };
}

/** Reads the body of an error response, up to 1 MiB or until the connection breaks. */
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
    // Report the status with a partial body rather than the broken connection: the status decides about retries.
  }
  return Buffer.concat(pieces).toString("utf8");
}

function contentKind({ headers }: Response): string {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim();
  return type === undefined || type === "" || type === "application/json" ? "malformed" : type.slice(0, 80);
}
