import type { ExplainedOutcome, Explanation } from "@homeostat/routing";

/** Returns an explanation as lines of text. */
export function explanationLines(explanation: Explanation): string[] {
  const { namespace, service, port, renderer, steps, outcome, targets, ifTargetVanished, responseHeader, counted } =
    explanation;
  return [
    `Request to Service ${namespace}/${service}, port ${port} (interception ${renderer})`,
    ...steps.map(({ text }, index) => `  ${index + 1}. ${text}`),
    `Outcome: ${outcomeText(outcome)}`,
    ...(targets ?? []).map(({ address, isHealthy, isUsed }) => {
      const state = [isHealthy ? "healthy" : "not healthy", ...(isUsed ? [] : ["left out"])].join(", ");
      return `  target ${address}: ${state}`;
    }),
    ...(ifTargetVanished === undefined ? [] : [`If no target were ready: ${outcomeText(ifTargetVanished)}`]),
    ...(responseHeader === undefined ? [] : [`Response header: x-sandbox-route: ${responseHeader}`]),
    ...(counted.length === 0 ? [] : [`Counted as: ${counted.join(", ")}`]),
  ];
}

function outcomeText(outcome: ExplainedOutcome): string {
  switch (outcome.type) {
    case "baseline":
      return `baseline ${outcome.target} (${outcome.reason})`;
    case "entry": {
      const { sandbox, workload } = outcome.route;
      const fault = outcome.fault === undefined ? "" : ", with an injected fault";
      return `entry ${workload} of sandbox ${sandbox}${fault}`;
    }
    case "unavailable": {
      const { sandbox, workload } = outcome.route;
      const rest =
        outcome.action === "Fail" ? "fails with 503" : `waits ${outcome.holdMs / 1_000} s, then ${outcome.afterHold}`;
      return `entry ${workload} of sandbox ${sandbox} has no ready target: the request ${rest}`;
    }
    case "no-port":
      return `the Service has no such port; its ports are ${outcome.ports.join(", ")}`;
  }
}
