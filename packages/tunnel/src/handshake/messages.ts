// Messages of a tunnel, one JSON line each: the control stream of a session begins with a challenge of the server, and every other stream with a
// line that says what it is for and a line that answers it. docs/internals/tunnel.md shows their order.
import { HomeostatError, parseBoundedJson } from "@homeostat/core";
import { ProtocolError } from "../errors.ts";
import { lineBytesMax } from "./line-reader.ts";

/** A range of versions of the protocol. */
export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** The versions of the protocol that this program speaks. Two ends use the highest version that both speak. */
export const protocolVersions: VersionRange = { min: 1, max: 1 };

/** The first message of the server. */
export interface Challenge {
  readonly t: "challenge";
  /** Versions of the protocol that the server speaks. */
  readonly vMin: number;
  readonly vMax: number;
  /** 32 random bytes in base64url. */
  readonly nonce: string;
}

/** The request of a client to attach to a LocalWorkload. */
export interface Hello {
  readonly t: "hello";
  /** Version of the protocol that the client chose. */
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
  /** False for a standby: connections from the cluster go to another machine until a `role` message says otherwise. */
  readonly active: boolean;
}

/**
 * Reasons of a {@link Refuse}. `Denied` stands for an unknown object, an unlisted key and a wrong signature alike; `Busy` names the other machine;
 * `Version` the versions of the server. Newer servers may have further reasons: `retry` says how to treat them.
 */
export type RefuseReason = "Denied" | "Busy" | "Version" | "TooManyAttempts" | "Draining" | "Unavailable";

/** The response to a client that may not attach. */
export interface Refuse {
  readonly t: "refuse";
  readonly reason: string;
  /** Details for the user; may be empty. */
  readonly detail: string;
  /** True if a later attempt may succeed. */
  readonly retry: boolean;
}

/** State of a local port: a process listens, refuses connections, or does not respond. */
export type PortState = "listening" | "refused" | "timeout";

/** A report of the client about one of its local ports, sent when the state changes. */
export interface PortReport {
  readonly t: "port";
  /** Name of the port of the LocalWorkload. */
  readonly name: string;
  readonly state: string;
}

/** Tells the client whether connections from the cluster go to it (active) or to another machine (standby). */
export interface Role {
  readonly t: "role";
  readonly active: boolean;
}

/** Asks the client to connect to another replica now. Open streams go on for the grace time. */
export interface Drain {
  readonly t: "drain";
  readonly graceMs: number;
}

/**
 * Reasons of a {@link Bye}. Of the client: `ClientLeft`. Of the server: `Deleted` (the LocalWorkload), `AccessRevoked`, `Replaced` (by another connection),
 * `Drained` (the replica stops).
 */
export type ByeReason = "ClientLeft" | "Deleted" | "AccessRevoked" | "Replaced" | "Drained";

/** Announces that the sender closes the tunnel, and why. */
export interface Bye {
  readonly t: "bye";
  readonly reason: string;
  /** Details for the user; may be empty. */
  readonly detail: string;
  /** True if the client may attach again. */
  readonly retry: boolean;
}

/** The first line of a stream that the server opens: a connection from the cluster. */
export interface InboundStream {
  readonly t: "in";
  /** Name of the port of the LocalWorkload. */
  readonly port: string;
  /** Protocol of the port: http, http2, grpc, ws or tcp. */
  readonly protocol: string;
  /** Address of the caller. */
  readonly src: string;
}

/** The first line of a stream that the client opens: a connection into the cluster. */
export interface OutboundStream {
  readonly t: "out";
  /** `host:port` of a Service. */
  readonly dst: string;
}

/** The answer to the first line of a stream whose destination is connected. The data of the destination follows. */
export interface StreamConnected {
  readonly t: "ok";
}

/**
 * Reasons for which a stream is not connected. Of clients: `local_refused`, `local_timeout`, `unknown_port`. Of servers: `denied`, `dns`, `refused`,
 * `timeout`. Of both: `limit`, `protocol`.
 */
export type StreamErrorCode =
  | "local_refused"
  | "local_timeout"
  | "unknown_port"
  | "denied"
  | "dns"
  | "refused"
  | "timeout"
  | "limit"
  | "protocol";

/** The answer to the first line of a stream that is not connected. The sender ends the stream after it. */
export interface StreamFailure {
  readonly t: "err";
  readonly code: string;
  /** Details for the user; may be empty. */
  readonly detail: string;
}

/** All messages. */
export type Message =
  | Challenge
  | Hello
  | Welcome
  | Refuse
  | PortReport
  | Role
  | Drain
  | Bye
  | InboundStream
  | OutboundStream
  | StreamConnected
  | StreamFailure;

/** Length of a text for users in a message. A character takes up to 6 bytes of a line. */
const detailLengthMax = 256;

type FieldType = "string" | "number" | "boolean";

/** The fields of each message besides `t`. */
const fieldsOf: Readonly<Record<Message["t"], Readonly<Record<string, FieldType>>>> = {
  challenge: { vMin: "number", vMax: "number", nonce: "string" },
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
  welcome: { tunnelId: "string", epoch: "number", routingKey: "string", active: "boolean" },
  refuse: { reason: "string", detail: "string", retry: "boolean" },
  port: { name: "string", state: "string" },
  role: { active: "boolean" },
  drain: { graceMs: "number" },
  bye: { reason: "string", detail: "string", retry: "boolean" },
  in: { port: "string", protocol: "string", src: "string" },
  out: { dst: "string" },
  ok: {},
  err: { code: "string", detail: "string" },
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

/** Reports whether a line is a JSON object of another type than the expected ones: a message that newer peers may send. */
export function isOtherMessage(line: string, expected: readonly string[]): boolean {
  const { t } = parseLine(line);
  return typeof t === "string" && !expected.includes(t);
}

/** Returns a text that fits into a message, shortened if needed. */
export function detailOf(text: string): string {
  return text.length <= detailLengthMax ? text : `${text.slice(0, detailLengthMax - 1)}…`;
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
