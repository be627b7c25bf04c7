import type { Clock } from "@homeostat/core";
import { classifyApiFailure } from "../failures/classify-api-failure.ts";
import type { Logger } from "../log/logger.ts";

/** A function that logs a failed write if its cause is a missing namespace. Returns false for other causes, which the caller has to report. */
export type ReportMissingNamespace = (error: unknown, neededFor: string) => boolean;

/** Options of {@link missingNamespaceReporter}. */
export interface MissingNamespaceOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** The flag or variable that sets the namespace of the program: `--namespace`. */
  readonly setting: string;
}

const reportMsMin = 10_000;
const reportMsMax = 300_000;

/**
 * Returns a function that logs that the namespace of the program is missing: once for all objects that are written there, and again at
 * growing intervals while it is missing.
 *
 * The API server responds 404 to a create in a missing namespace, as for a missing kind. The Lease and the webhook Secret are retried
 * every few seconds; without this, each retry would log an error that does not say what to do.
 */
export function missingNamespaceReporter({ log, clock, setting }: MissingNamespaceOptions): ReportMissingNamespace {
  const reports = new Map<string, { at: number; pauseMs: number }>();
  return (error, neededFor) => {
    const failure = classifyApiFailure(error);
    if (failure.reason !== "NamespaceMissing") return false;
    const { namespace = "" } = failure;
    const now = clock.monotonic();
    const last = reports.get(namespace);
    if (last !== undefined && now - last.at < last.pauseMs) return true;
    reports.set(namespace, { at: now, pauseMs: Math.min(reportMsMax, (last?.pauseMs ?? reportMsMin / 2) * 2) });
    const create = `kubectl create namespace ${namespace}`;
    log.error("Namespace of this program does not exist, retrying", { namespace, neededFor, create, setting });
    return true;
  };
}
