import { type ErrorClass, HomeostatError } from "@homeostat/core";
import type { VersionRange } from "./handshake/messages.ts";

/** Thrown when the peer of a tunnel violates the protocol. The session ends. */
export class ProtocolError extends HomeostatError {
  readonly code = "TUNNEL_PROTOCOL";

  constructor(problem: string) {
    super(`The peer of the tunnel violated the protocol: ${problem}. Check that both ends have compatible versions.`);
  }

  override get errorClass(): ErrorClass {
    return "unknown";
  }
}

/** Thrown when a stream cannot be opened. */
export class StreamRefusedError extends HomeostatError {
  readonly code = "TUNNEL_STREAM_REFUSED";
  readonly reason: "closed" | "draining" | "limit";

  constructor(reason: "closed" | "draining" | "limit") {
    super(
      {
        closed: "The tunnel is closed. Wait until it is connected again.",
        draining: "The tunnel is about to close and accepts no new streams. Use the connection that replaces it.",
        limit: "The tunnel has its maximum number of streams. Close connections, or wait for some to end.",
      }[reason],
    );
    this.reason = reason;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a tunnel server refuses a machine. */
export class AttachRefusedError extends HomeostatError {
  readonly code = "TUNNEL_ATTACH_REFUSED";
  /** One of `RefuseReason`, or a reason of a newer server. */
  readonly reason: string;
  /** Details for the user; may be empty. */
  readonly detail: string;
  readonly #isRetryable: boolean;

  constructor({
    reason,
    detail,
    retry,
  }: {
    readonly reason: string;
    readonly detail: string;
    readonly retry: boolean;
  }) {
    super(
      `The tunnel server refused this machine: ${reason}${detail === "" ? "" : ` (${detail})`}. ${retry ? "Retry later." : "Check the LocalWorkload and the keys that it lists."}`,
    );
    this.reason = reason;
    this.detail = detail;
    this.#isRetryable = retry;
  }

  override get retryable(): boolean {
    return this.#isRetryable;
  }
}

/** Thrown when both ends of a tunnel speak no common version of the protocol. */
export class TunnelVersionError extends HomeostatError {
  readonly code = "TUNNEL_VERSION";

  constructor({ client, server }: { readonly client: VersionRange; readonly server: VersionRange }) {
    super(
      `The tunnel server speaks the protocol versions ${rangeText(server)}, and this client ${rangeText(client)}. Update ${server.min > client.max ? "this client" : "the sandbox operator"}.`,
    );
  }

  override get retryable(): boolean {
    return false;
  }
}

/** Thrown when no transport reaches a tunnel server. */
export class TunnelUnreachableError extends HomeostatError {
  readonly code = "TUNNEL_UNREACHABLE";
  /** The error of each transport that was tried, in order. */
  readonly attempts: readonly { readonly transport: string; readonly error: Error }[];

  constructor(address: string, attempts: readonly { readonly transport: string; readonly error: Error }[]) {
    super(
      `The tunnel server at ${address} cannot be reached: ${attempts.map(({ transport, error }) => `${transport}: ${error.message}`).join("; ")}. Check the network, or choose another transport.`,
      { cause: attempts.at(-1)?.error },
    );
    this.attempts = attempts;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when the certificate of a tunnel server was not issued by the pinned authority, or is for another server. */
export class TunnelUntrustedError extends HomeostatError {
  readonly code = "TUNNEL_UNTRUSTED";

  constructor(problem: string) {
    super(
      `The certificate of the tunnel server is not trusted: ${problem}. Read the LocalWorkload again; if the error stays, another server answers at this address.`,
    );
  }

  /** The authority may have been renewed since the pin was read. */
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a stream of a tunnel was opened, and its destination could not be connected. */
export class StreamFailedError extends HomeostatError {
  readonly code = "TUNNEL_STREAM_FAILED";
  /** One of `StreamErrorCode`, or a code of a newer peer. */
  readonly reason: string;
  /** Details for the user; may be empty. */
  readonly detail: string;

  constructor({ reason, detail = "" }: { readonly reason: string; readonly detail?: string }) {
    super(
      `The tunnel did not connect a stream: ${reason}${detail === "" ? "" : ` (${detail})`}. ${failureAdvice(reason)}`,
    );
    this.reason = reason;
    this.detail = detail;
  }

  override get retryable(): boolean {
    return this.reason !== "denied" && this.reason !== "unknown_port";
  }
}

function failureAdvice(reason: string): string {
  if (reason === "denied")
    return "Check spec.outbound.allow of the LocalWorkload and outboundAllow of the SandboxPolicy.";
  if (reason === "unknown_port") return "Check the ports of the LocalWorkload.";
  if (reason === "local_refused" || reason === "local_timeout") return "Start the local process, or check its port.";
  if (reason === "dns") return "Check the name of the Service and its namespace.";
  return "Check that the destination runs, then retry.";
}

function rangeText({ min, max }: VersionRange): string {
  return min === max ? String(min) : `${min} to ${max}`;
}
