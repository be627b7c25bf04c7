// Messages of a tunnel, one JSON line each: the control stream of a session begins with a challenge of the server, and every other stream with a
// line that says what it is for.
import { HomeostatError, parseBoundedJson } from "@homeostat/core";
import { ProtocolError } from "../errors.ts";
import { lineBytesMax } from "./line-reader.ts";

/** The version of the protocol. Ends with different versions refuse each other. */
export const protocolVersion = 1;

/** The first message of the server. */
export interface Challenge {
  readonly t: "challenge";
  /** 32 random bytes in base64url. */
  readonly nonce: string;
}

/** The request of a client to attach to a LocalWorkload. */
export interface Hello {
  readonly t: "hello";
  readonly v: number;
  /** Version of the client program. */
  readonly client: string;
  /** Name of the machine, shown to users. */
  readonly host: string;
  /** `namespace/name` of the LocalWorkload. */
  readonly workload: string;
  readonly uid: string;
  /** Public key of the machine. */
  readonly key: string;
  /** Signature in base64url. */
  readonly sig: string;
  /** Id of the tunnel that this connection continues; empty for a new one. */
  readonly resume: string;
  /** True if the client may replace another machine. */
  readonly takeover: boolean;
}

/** The response to a client that may attach. */
export interface Welcome {
  readonly t: "welcome";
  readonly tunnelId: string;
  /** Number of this connection of the tunnel. A message of an earlier connection has a smaller one. */
  readonly epoch: number;
  readonly routingKey: string;
}

/** The response to a client that may not attach. */
export interface Refuse {
  readonly t: "refuse";
  readonly reason: string;
  /** True if a later attempt may succeed. */
  readonly retry: boolean;
}

/** The first line of a stream that the server opens: a connection from the cluster. */
export interface InboundStream {
  readonly t: "in";
  /** Name of the port of the LocalWorkload. */
  readonly port: string;
  /** Address of the caller. */
  readonly src: string;
}

/** The first line of a stream that the client opens: a connection into the cluster. */
export interface OutboundStream {
  readonly t: "out";
  /** `host:port` of a Service. */
  readonly dst: string;
}

/** The reason for which a stream was not connected, sent before it is reset. */
export interface StreamFailure {
  readonly t: "err";
  readonly code: string;
}

/** All messages. */
export type Message = Challenge | Hello | Welcome | Refuse | InboundStream | OutboundStream | StreamFailure;

type FieldType = "string" | "number" | "boolean";

/** The fields of each message besides `t`. */
const fieldsOf: Readonly<Record<Message["t"], Readonly<Record<string, FieldType>>>> = {
  challenge: { nonce: "string" },
  hello: {
    v: "number",
    client: "string",
    host: "string",
    workload: "string",
    uid: "string",
    key: "string",
    sig: "string",
    resume: "string",
    takeover: "boolean",
  },
  welcome: { tunnelId: "string", epoch: "number", routingKey: "string" },
  refuse: { reason: "string", retry: "boolean" },
  in: { port: "string", src: "string" },
  out: { dst: "string" },
  err: { code: "string" },
};

/** Returns the line of a message, with its line feed. */
export function formatMessage(message: Message): Buffer {
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  if (line.length > lineBytesMax)
    throw new ProtocolError(`the message ${message.t} is longer than ${lineBytesMax} bytes`);
  return line;
}

/**
 * Reads a line as one of the expected messages. Fields that this version does not know are ignored, so that newer peers can add some.
 *
 * Throws a {@link ProtocolError} if it is not JSON, another message, or if a field is missing or has another type.
 */
export function parseMessage<T extends Message["t"]>(line: string, expected: readonly T[]): Extract<Message, { t: T }> {
  const value = parseLine(line);
  const type = expected.find((name) => value.t === name);
  if (type === undefined) throw new ProtocolError(`expected a message of type ${expected.join(" or ")}`);
  const wrong = wrongFields(value, type);
  if (wrong.length > 0 || !isMessage(value, type))
    throw new ProtocolError(`the fields ${wrong.join(", ")} of the message ${type} are missing or have another type`);
  return value;
}

function isMessage<T extends Message["t"]>(value: object, type: T): value is Extract<Message, { t: T }> {
  return wrongFields(value, type).length === 0;
}

/** Returns the names of the fields that are missing or have another type. */
function wrongFields(value: object, type: Message["t"]): readonly string[] {
  const actual = new Map<string, unknown>(Object.entries(value));
  return Object.entries(fieldsOf[type]).flatMap(([name, expected]) =>
    typeof actual.get(name) === expected ? [] : [name],
  );
}

function parseLine(line: string): object & { readonly t?: unknown } {
  let value: unknown;
  try {
    value = parseBoundedJson(line, {
      what: "message of the tunnel",
      bytesMax: lineBytesMax,
      depthMax: 3,
      valuesMax: 64,
    });
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    throw new ProtocolError("a line is not JSON, or is nested too deeply");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ProtocolError("a line is not a JSON object");
  return value;
}
