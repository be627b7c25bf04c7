import type { ExplainedOutcome } from "@homeostat/routing";

/** Returns the result of an explanation as a sentence. */
export function outcomeText(outcome: ExplainedOutcome): string {
  switch (outcome.type) {
    case "baseline":
      return `The baseline ${outcome.target} receives the request (${outcome.reason}).`;
    case "entry": {
      const { sandbox, workload } = outcome.route;
      const fault = outcome.fault === undefined ? "" : ", with an injected fault";
      return `The workload ${workload} of sandbox ${sandbox} receives the request${fault}.`;
    }
    case "unavailable": {
      const { sandbox, workload } = outcome.route;
      const rest =
        outcome.action === "Fail"
          ? "The request fails with 503."
          : `The request waits ${outcome.holdMs / 1_000} s, then: ${outcome.afterHold}.`;
      return `The workload ${workload} of sandbox ${sandbox} has no ready target. ${rest}`;
    }
    case "no-port":
      return `The Service has no such port. Its ports are ${outcome.ports.join(", ")}.`;
  }
}
