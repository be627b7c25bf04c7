import type { ChartVariable } from "@homeostat/operator";

/** Environment variables that the program reads before its flags, with the chart values that set them. */
export const chartVariables: readonly ChartVariable[] = [
  {
    variable: "API_QPS",
    value: "api.requestsPerSecond",
    default: 20,
    help: "Requests per second that the operator sends to the API server.",
  },
  { variable: "API_BURST", value: "api.burst", default: 40, help: "Requests that the operator may send at once." },
  {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    value: "tracing.endpoint",
    default: "",
    help: "URL of the collector that traces are exported to. Empty: no traces.",
  },
  {
    variable: "OTEL_TRACES_SAMPLER_ARG",
    value: "tracing.ratio",
    default: "1.0",
    help: "Share of reconciles that are traced, from 0 to 1.",
  },
];
