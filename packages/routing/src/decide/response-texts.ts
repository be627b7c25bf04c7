import type { RoutingSettings } from "../settings/routing-settings.ts";
import type { Decision, FailDecision } from "./decision.ts";

/** Name of the response header that names the route of a request. */
export const routeHeaderName = "x-sandbox-route";

/**
 * Returns the value of `x-sandbox-route` for a response, or undefined if it has none: the request had no key, or the header is switched
 * off.
 */
export function routeHeader(
  decision: Decision,
  { debugResponseHeader }: Pick<RoutingSettings, "debugResponseHeader">,
): string | undefined {
  if (!debugResponseHeader || decision.key === undefined) return undefined;
  if (decision.type === "baseline") return `baseline; reason=${decision.reason}`;
  const { sandbox, workload } = decision.route.entry;
  return `sandbox=${sandbox}; workload=${workload}`;
}

/** Returns the body of the response with status 503, or the message of the gRPC status 14, for a request that fails. */
export function unavailableText({ route }: FailDecision, detail = "it has no ready target"): string {
  const { sandbox, workload } = route.entry;
  return `Workload ${workload} of sandbox ${sandbox} is unavailable: ${detail}.\n`;
}
