import { HomeostatError } from "@homeostat/core";
import type { ReviewError } from "../errors.ts";

/** An answer over HTTP. The body is JSON. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** What the webhook's own functions threw although they should not have. To be reported; it is not in the body. */
  readonly failures?: readonly unknown[];
  /** What is worth a line in the log, such as a stash that was ignored. */
  readonly notes?: readonly string[];
}

/** The answer to a body that cannot be answered otherwise: an API server shows its message to the user. */
export function badRequest(error: ReviewError): Reply {
  return statusReply({ status: 400, reason: "BadRequest", message: error.message });
}

/** An answer that is a Kubernetes status, for everything that is no review. */
export function statusReply({ status, reason, message }: { status: number; reason: string; message: string }): Reply {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code: status };
  return { status, body: JSON.stringify(body) };
}

/** A failure in one line for somebody outside: our own errors are written for that, all others may hold anything. */
export function publicMessage(error: unknown): string {
  return error instanceof HomeostatError ? error.message : "the webhook failed; its log has the reason";
}
