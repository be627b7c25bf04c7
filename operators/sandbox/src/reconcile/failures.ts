// Handling of reconcile errors: their status, and when the runtime retries.

import { classifyApiFailure, TerminalError } from "homeostat";
import { cutText } from "@homeostat/core";
import { ManagedObjectsError } from "@homeostat/runtime";
import { messageLengthMax } from "../api/spec-common.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/**
 * Shows a failure in the status and returns the error for the runtime.
 *
 * A missing permission is permanent, and the message names it. Any other error may resolve itself, so the phase does not change.
 */
export async function reportFailure(context: SandboxContext, error: unknown): Promise<unknown> {
  const { runtime } = context;
  const [first = error] =
    error instanceof ManagedObjectsError ? error.failures.map((failure) => failure.error) : [error];
  const failure = classifyApiFailure(first);
  if (failure.reason === "Conflict" || failure.reason === "BeingDeleted") return error;
  const message = cutText(failure.sentence, messageLengthMax);
  if (failure.reason === "Forbidden") {
    const condition = { status: false, reason: "Forbidden", message } as const;
    runtime.setStatusPlan({
      fields: { phase: "Failed" },
      conditions: { Ready: condition, ForksReady: condition },
    });
  } else {
    runtime.setCondition("Progressing", { status: true, reason: "RetryingAPI", message });
  }
  try {
    await runtime.saveStatus({ purpose: "report the failure" });
  } catch (second) {
    runtime.log.debug("Status not written after a failure", { error: second });
  }
  return failure.reason === "Forbidden" ? new TerminalError({ reason: "Forbidden", message }, { cause: first }) : error;
}
