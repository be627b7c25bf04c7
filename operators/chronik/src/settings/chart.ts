import type { ChartVariable } from "@homeostat/operator";

/** Environment variables that the program reads before its flags, with the chart values that set them. */
export const chartVariables: readonly ChartVariable[] = [
  {
    variable: "API_QPS",
    value: "api.requestsPerSecond",
    default: 20,
    help: "Requests per second that the operator sends to the API server.",
  },
  {
    variable: "API_BURST",
    value: "api.burst",
    default: 40,
    help: "Requests that the operator may send in a burst, above this rate.",
  },
  {
    variable: "OPERATOR_VERSION",
    value: "operatorVersion",
    default: "",
    help: "Version of the operator that clusters record, together with a fingerprint of the pod templates that it builds. Empty: the version of the program.",
  },
];
