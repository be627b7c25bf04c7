import { readFileSync } from "node:fs";
import type { Clock, Random } from "@homeostat/core";
import { type HttpTls, sendHttp } from "@homeostat/http";
import type { Logger, Registry, Service, ServiceDefinition, Tracing } from "@homeostat/runtime";
import type { Environment } from "../flags/read-flags.ts";
import { encodeSpans } from "./encode-spans.ts";
import type { FinishedSpan } from "./finished-span.ts";
import { otlpTracing } from "./otlp-tracing.ts";
import { type CollectorResponse, SpanExporter } from "./span-exporter.ts";
import { readTraceSettings, type TraceSettings } from "./trace-settings.ts";

/** Maximum size of a response of the collector, which has no content beyond a short report. */
const responseBytesMax = 65_536;

/** Options of {@link operatorTraces}. */
export interface OperatorTracesOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly name: string;
  readonly version: string;
}

/** Export of spans that a program records itself. */
export interface SpanExport {
  /** Adds an ended span to the queue. Never waits and never throws; a span that does not fit is dropped and counted. */
  add(this: void, span: FinishedSpan): void;
  /** Share of the traces that are recorded, from 0 to 1. */
  readonly ratio: number;
  /** Returns the service that sends the spans, with its metrics. */
  service(this: void, tools: { readonly registry: Registry; readonly log: Logger }): Service;
}

/**
 * Creates the exporter that the environment asks for: spans are sent to `OTEL_EXPORTER_OTLP_ENDPOINT` by OTLP over HTTP, encoded as JSON.
 * Returns undefined without an endpoint. Throws a `ConfigurationError` for bad values.
 */
export function spanExport({ env, clock, ...program }: Omit<OperatorTracesOptions, "random">): SpanExport | undefined {
  const settings = readTraceSettings(env, program);
  if (settings === undefined) return undefined;
  const tls = tlsOf(settings);
  const exporter = new SpanExporter({
    ...settings,
    clock,
    send: (spans, signal) => sendSpans({ settings, tls, program, spans, signal }),
  });
  return {
    add: (span) => exporter.add(span),
    ratio: settings.ratio,
    service: (tools) => exporter.service(tools),
  };
}

/** Tracing of an operator, and the service that exports its spans. */
export interface OperatorTraces {
  readonly tracing: Tracing;
  readonly service: ServiceDefinition;
}

/** Creates the tracing that the environment asks for, see {@link spanExport}. */
export function operatorTraces({ random, ...options }: OperatorTracesOptions): OperatorTraces | undefined {
  const exporting = spanExport(options);
  if (exporting === undefined) return undefined;
  const { ratio, add, service } = exporting;
  return {
    tracing: otlpTracing({
      clock: options.clock,
      random,
      isSampled: (traceId) => isWithinRatio(traceId, ratio),
      onEnd: add,
    }),
    service: ({ registry, log }) => service({ registry, log }),
  };
}

interface Sending {
  readonly settings: TraceSettings;
  readonly tls: HttpTls | undefined;
  readonly program: { readonly name: string; readonly version: string };
  readonly spans: readonly FinishedSpan[];
  readonly signal: AbortSignal;
}

async function sendSpans({ settings, tls, program, spans, signal }: Sending): Promise<CollectorResponse> {
  const { url, headers, resource } = settings;
  const body = encodeSpans(resource, program, spans);
  return sendHttp({
    method: "POST",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      "user-agent": `${program.name}/${program.version}`,
      ...headers,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
    },
    body,
    tls,
    signal,
    bodyBytesMax: responseBytesMax,
  });
}

/** Returns the TLS options of an https:// URL. The files are read once, at start: a missing file stops the program. */
function tlsOf(settings: TraceSettings): HttpTls | undefined {
  const { url, certificateFile, clientCertificateFile, clientKeyFile } = settings;
  if (url.protocol !== "https:") return undefined;
  return {
    servername: url.hostname,
    ...(certificateFile !== undefined && { ca: readFileSync(certificateFile) }),
    ...(clientCertificateFile !== undefined && { cert: readFileSync(clientCertificateFile) }),
    ...(clientKeyFile !== undefined && { key: readFileSync(clientKeyFile) }),
  };
}

/** Decides by the trace ID, so that all programs that see a trace decide alike. */
function isWithinRatio(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
}
