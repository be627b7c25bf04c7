import { systemClock, releaseVersion } from "@homeostat/core";
import type { Logger, Registry } from "@homeostat/runtime";
import type { ProxySpan } from "./proxy-span.ts";

/** Sends spans to a collector while it runs. */
export interface RunningExporter {
  add(this: void, span: ProxySpan): void;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Returns the exporter that the `OTEL_*` variables of the environment ask for; undefined without an endpoint. Only then are the modules of
 * operators loaded: they would cost memory in every proxy.
 */
export async function spanExporter({
  log,
  registry,
}: {
  readonly log: Logger;
  readonly registry: Registry;
}): Promise<RunningExporter | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = process.env;
  if (!OTEL_EXPORTER_OTLP_ENDPOINT && !OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined;
  const { spanExport } = await import("@homeostat/operator");
  const exporting = spanExport({
    env: process.env,
    clock: systemClock,
    name: "sandbox-proxy",
    version: releaseVersion,
  });
  if (exporting === undefined) return undefined;
  const service = exporting.service({ log, registry });
  return { add: (span) => exporting.add(span), run: (signal) => service.run(signal) };
}
