// Settings of the trace exporter: the environment variables of OpenTelemetry SDKs.
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.

import { type EnvironmentReader, readEnvironment } from "../environment/environment-reader.ts";
import type { Environment } from "../flags/read-flags.ts";
import type { ExportLimits } from "./span-exporter.ts";

/** Settings of the trace exporter. */
export interface TraceSettings extends ExportLimits {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the program in every trace. */
  readonly resource: Readonly<Record<string, string>>;
  /** Share of the traces that are recorded, from 0 to 1. */
  readonly ratio: number;
  /** PEM files: certificate authorities of the collector, and the certificate and key of this program. */
  readonly certificateFile: string | undefined;
  readonly clientCertificateFile: string | undefined;
  readonly clientKeyFile: string | undefined;
}

const signalPath = "v1/traces";
const ratioSamplers: ReadonlySet<string> = new Set(["traceidratio", "parentbased_traceidratio"]);
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/**
 * Reads the settings of the trace exporter. Returns undefined if no endpoint is set, or if traces are turned off. Throws a
 * `ConfigurationError` that lists every bad value: traces that silently go nowhere are found missing when they are needed.
 */
export function readTraceSettings(
  env: Environment,
  program: { readonly name: string; readonly version: string },
): TraceSettings | undefined {
  const { settings } = readEnvironment(env, (reader) => {
    const read = isOff(reader) ? undefined : readSettings(reader, program);
    for (const { variable, value } of reader.warnings)
      reader.problems.push({ variable, message: `${JSON.stringify(value)} is not a valid value` });
    return read;
  });
  return settings;
}

function isOff(reader: EnvironmentReader): boolean {
  return reader.boolean("OTEL_SDK_DISABLED", false) || reader.text("OTEL_TRACES_EXPORTER", "otlp") === "none";
}

function readSettings(
  reader: EnvironmentReader,
  { name, version }: { readonly name: string; readonly version: string },
): TraceSettings | undefined {
  const url = readUrl(reader);
  if (url === undefined) return undefined;
  const protocol = ofTraces(reader, "PROTOCOL", "http/json");
  if (protocol.text !== "http/json")
    reader.problems.push({
      variable: protocol.variable,
      message: `${JSON.stringify(protocol.text.slice(0, 100))} is not supported; use http/json, which collectors accept at port 4318`,
    });
  const file = (what: string): string | undefined => ofTraces(reader, what, "").text || undefined;
  const timeout = ofTraces(reader, "TIMEOUT", "");
  return {
    url,
    headers: readPairs(reader, ofTraces(reader, "HEADERS", "").variable),
    resource: {
      "service.name": reader.text("OTEL_SERVICE_NAME", name),
      "service.version": version,
      ...podResource(reader),
      ...readPairs(reader, "OTEL_RESOURCE_ATTRIBUTES"),
    },
    ratio: readRatio(reader),
    timeoutMs: reader.integer(timeout.variable, { fallback: 10_000, min: 1, max: 600_000 }),
    delayMs: reader.integer("OTEL_BSP_SCHEDULE_DELAY", { fallback: 5_000, min: 1, max: 600_000 }),
    queueMax: reader.integer("OTEL_BSP_MAX_QUEUE_SIZE", { fallback: 2_048, min: 1, max: 1_000_000 }),
    batchMax: reader.integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", { fallback: 512, min: 1, max: 100_000 }),
    certificateFile: file("CERTIFICATE"),
    clientCertificateFile: file("CLIENT_CERTIFICATE"),
    clientKeyFile: file("CLIENT_KEY"),
  };
}

/** Returns a variable for traces, or the one for all signals if only that is set. */
function ofTraces(reader: EnvironmentReader, what: string, fallback: string): { variable: string; text: string } {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${what}`;
  const common = `OTEL_EXPORTER_OTLP_${what}`;
  const text = reader.text(own, "");
  return text === "" ? { variable: common, text: reader.text(common, fallback) } : { variable: own, text };
}

/** Returns the URL of traces. The endpoint for traces is used as it is; to the one for all signals, the path is added. */
function readUrl(reader: EnvironmentReader): URL | undefined {
  const { variable, text } = ofTraces(reader, "ENDPOINT", "");
  if (text === "") return undefined;
  const isCommon = variable === "OTEL_EXPORTER_OTLP_ENDPOINT";
  const address = isCommon ? `${text.replace(/\/+$/, "")}/${signalPath}` : text;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  reader.problems.push({ variable, message: "is not an http:// or https:// URL" });
  return undefined;
}

/** Reads a list such as `a=1,b=two%20words`. Values may be secret, so messages do not repeat them. */
function readPairs(reader: EnvironmentReader, variable: string): Record<string, string> {
  const words = reader.text(variable, "").split(",");
  const pairs = words.filter((word) => word.trim() !== "").map((word) => parsePair(word));
  if (pairs.includes(undefined))
    reader.problems.push({ variable, message: "is not a list of name=value, separated by commas" });
  return Object.fromEntries(pairs.filter((pair) => pair !== undefined));
}

function parsePair(word: string): readonly [string, string] | undefined {
  const at = word.indexOf("=");
  const name = word.slice(0, Math.max(at, 0)).trim();
  if (!/^[\w.!#$%&'*+^`|~/-]+$/.test(name)) return undefined;
  try {
    const value = decodeURIComponent(word.slice(at + 1).trim());
    return /^[\t\x20-\x7e\u0080-\u{10ffff}]*$/u.test(value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}

function podResource(reader: EnvironmentReader): Record<string, string> {
  const pod = reader.text("POD_NAME", "");
  const namespace = reader.text("POD_NAMESPACE", "");
  return {
    ...(pod !== "" && { "k8s.pod.name": pod, "service.instance.id": pod }),
    ...(namespace !== "" && { "k8s.namespace.name": namespace }),
  };
}

function readRatio(reader: EnvironmentReader): number {
  const sampler = reader.choice("OTEL_TRACES_SAMPLER", samplers, "parentbased_always_on");
  const text = reader.text("OTEL_TRACES_SAMPLER_ARG", "");
  // Without a sampler, an argument alone is the ratio.
  const isRatio = ratioSamplers.has(sampler) || (reader.text("OTEL_TRACES_SAMPLER", "") === "" && text !== "");
  if (!isRatio) return sampler.endsWith("always_off") ? 0 : 1;
  const ratio = text === "" ? 1 : Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  reader.problems.push({ variable: "OTEL_TRACES_SAMPLER_ARG", message: "is not a number from 0 to 1" });
  return 1;
}
