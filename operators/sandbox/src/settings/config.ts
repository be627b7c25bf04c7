// The configuration of the operator as typed values, and its parser.

import { type DeepReadonly, isRecord, parseQuantity, type Quantity } from "@homeostat/core";
import { compileSchema, type Problem, shortMessage } from "@homeostat/schema";
import { parse, YAMLParseError } from "yaml";
import { durationSeconds } from "../api/duration.ts";
import { isAboutSkippedRules } from "../api/schema-problems.ts";
import { ConfigFile } from "./config-schema.ts";

type File = DeepReadonly<ReturnType<typeof ConfigFile.parse>["spec"]>;

/** CPU and memory of a container or a sandbox. */
export interface ComputeAmounts {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

/** The configuration, with all defaults. Durations are in seconds. */
export interface OperatorConfig {
  readonly routing: File["routing"];
  readonly preview: {
    readonly domain: string;
    readonly scheme: "https" | "http";
    readonly tokenSeconds: number;
    readonly forward: {
      readonly url: string;
      readonly headers: readonly string[];
      /** Header of the response that names the user; empty if none does. */
      readonly userHeader: string;
      readonly timeoutSeconds: number;
    };
  };
  readonly limits: {
    readonly maxTtlSeconds: number;
    readonly allowForever: boolean;
    readonly sandboxResources: ComputeAmounts;
    readonly containerResources: ComputeAmounts;
  };
  readonly drift: { readonly debounceSeconds: number; readonly minIntervalSeconds: number };
  readonly takeover: { readonly lingerSeconds: number; readonly watchdogSeconds: number };
  readonly mesh: { readonly provider: File["mesh"]["provider"]; readonly headerRegex: "auto" | boolean };
  readonly proxy: InSeconds<File["proxy"]>;
  readonly tunnel: InSeconds<File["tunnel"]>;
  readonly cleanup: { readonly drainSeconds: number; readonly forceAfterSeconds: number };
}

/** A part of the configuration with its durations in seconds: `connectTimeout` becomes `connectTimeoutSeconds`. */
export type InSeconds<T> = {
  readonly [K in keyof T as string | number extends T[K] ? `${K & string}Seconds` : K]: string | number extends T[K]
    ? number
    : T[K];
};

/** A problem of the configuration. */
export interface ConfigProblem {
  /** The key: `limits.maxTTL`. Empty for the whole text. */
  readonly key: string;
  readonly message: string;
}

/** A parsed configuration, or all of its problems. */
export type ParsedConfig = { readonly config: OperatorConfig } | { readonly problems: readonly ConfigProblem[] };

/** The longest text that is parsed: the limit of a ConfigMap. */
const textLengthMax = 1024 * 1024;

const schema = compileSchema(ConfigFile.schema);

/**
 * Parses the text of `config.yaml`. Missing keys get their defaults; unknown keys are problems, because they are probably
 * misspelled.
 */
export function parseConfig(text: string): ParsedConfig {
  if (text.length > textLengthMax) return failed("", `must have at most ${textLengthMax} characters`);
  let value: unknown;
  try {
    value = parse(text, {
      logLevel: "error",
      maxAliasCount: 100,
      prettyErrors: true,
      stringKeys: true,
      uniqueKeys: true,
    });
  } catch (error) {
    return failed("", yamlProblem(error));
  }
  return readConfig(value ?? {});
}

/** Converts the parsed content of `config.yaml`. */
export function readConfig(value: unknown): ParsedConfig {
  if (!isRecord(value)) return failed("", "must be a map of keys such as limits and routing");
  const file = { apiVersion: ConfigFile.apiVersion, kind: ConfigFile.kind, metadata: { name: "config" }, spec: value };
  const problems = [
    ...schema
      .prune(file)
      .dropped.map((path) => ({ key: keyOf(path), message: "is not a known key; check its spelling" })),
    ...ConfigFile.check(file)
      .filter((problem) => !isAboutSkippedRules(problem))
      .map((problem) => ({ key: keyOf(problem.path), message: messageOf(problem) })),
  ];
  return problems.length > 0 ? { problems } : { config: resolve(ConfigFile.parse(file).spec) };
}

/** The configuration of an empty file. */
export const defaultConfig: OperatorConfig = resolve(
  ConfigFile.default(ConfigFile.make({ metadata: { name: "config" }, spec: {} })).spec,
);

/** Returns problems in one line. */
export function describeConfigProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ key, message }) => (key === "" ? message : `${key}: ${message}`)).join("; ");
}

/** Reports whether gateways can ask an authentication service for the name of a user. */
export function identifiesUsers({ preview: { forward } }: Pick<OperatorConfig, "preview">): boolean {
  return forward.url !== "" && forward.userHeader !== "";
}

function resolve({ routing, preview, limits, drift, takeover, mesh, proxy, tunnel, cleanup }: File): OperatorConfig {
  return {
    routing: {
      ...routing,
      explicitHeaders: lowerCase(routing.explicitHeaders),
      compatHeaders: lowerCase(routing.compatHeaders),
      customHeaders: lowerCase(routing.customHeaders),
      inject: lowerCase(routing.inject),
    },
    preview: {
      domain: preview.domain,
      scheme: preview.scheme,
      tokenSeconds: seconds(preview.tokenTTL),
      forward: {
        url: preview.forward.url,
        headers: lowerCase(preview.forward.headers),
        userHeader: preview.forward.userHeader.toLowerCase(),
        timeoutSeconds: seconds(preview.forward.timeout),
      },
    },
    limits: {
      maxTtlSeconds: seconds(limits.maxTTL),
      allowForever: limits.allowForever,
      sandboxResources: amounts(limits.sandboxResources),
      containerResources: amounts(limits.containerResources),
    },
    drift: { debounceSeconds: seconds(drift.debounce), minIntervalSeconds: seconds(drift.minInterval) },
    takeover: { lingerSeconds: seconds(takeover.linger), watchdogSeconds: seconds(takeover.watchdog) },
    mesh: {
      provider: mesh.provider,
      headerRegex: mesh.headerRegex === "auto" ? "auto" : mesh.headerRegex === "true",
    },
    proxy: {
      connectTimeoutSeconds: seconds(proxy.connectTimeout),
      tlsHandshakeTimeoutSeconds: seconds(proxy.tlsHandshakeTimeout),
      requestHeadersTimeoutSeconds: seconds(proxy.requestHeadersTimeout),
      responseHeadersTimeoutSeconds: seconds(proxy.responseHeadersTimeout),
      streamIdleTimeoutSeconds: seconds(proxy.streamIdleTimeout),
      longStreamIdleTimeoutSeconds: seconds(proxy.longStreamIdleTimeout),
      clientKeepAliveSeconds: seconds(proxy.clientKeepAlive),
      upstreamKeepAliveSeconds: seconds(proxy.upstreamKeepAlive),
      shutdownDelaySeconds: seconds(proxy.shutdownDelay),
      shutdownTimeoutSeconds: seconds(proxy.shutdownTimeout),
      headerBytesMax: proxy.headerBytesMax,
      connectionsMax: proxy.connectionsMax,
      pendingMax: proxy.pendingMax,
      heldRequestsMax: proxy.heldRequestsMax,
      heldBytesMax: proxy.heldBytesMax,
      retriesMax: proxy.retriesMax,
    },
    tunnel: {
      url: tunnel.url,
      pingIntervalSeconds: seconds(tunnel.pingInterval),
      accessCheckIntervalSeconds: seconds(tunnel.accessCheckInterval),
      windowBytesMax: tunnel.windowBytesMax,
      connectionBytesMax: tunnel.connectionBytesMax,
      streamsMax: tunnel.streamsMax,
      acceptQueueMax: tunnel.acceptQueueMax,
      failuresPerMinuteMax: tunnel.failuresPerMinuteMax,
    },
    cleanup: { drainSeconds: seconds(cleanup.drain), forceAfterSeconds: seconds(cleanup.forceAfter) },
  };
}

/** Returns the seconds of a duration that the schema has checked. */
function seconds(duration: number | string): number {
  return durationSeconds(duration) ?? 0;
}

function amounts({ cpu, memory }: { readonly cpu: number | string; readonly memory: number | string }): ComputeAmounts {
  return { cpu: parseQuantity(String(cpu)), memory: parseQuantity(String(memory)) };
}

function lowerCase(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}

function failed(key: string, message: string): ParsedConfig {
  return { problems: [{ key, message }] };
}

/** Uses only the error code and position of the parser, because its message quotes the line. */
function yamlProblem(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return "is not valid YAML";
  const { line, col } = error.linePos?.[0] ?? {};
  const at = line === undefined ? "" : ` at line ${line}, column ${col ?? 0}`;
  return `is not valid YAML${at} (${error.code.toLowerCase().replaceAll("_", " ")})`;
}

/** Returns a path of the kind as the key that users write: `limits.maxTTL` for `spec.limits.maxTTL`. */
function keyOf(path: string): string {
  return path.replace(/^spec\.?/, "");
}

/** Returns the message of a problem, which may start with the path of the kind. */
function messageOf(problem: Problem): string {
  return shortMessage(problem).replaceAll(`${problem.path} in body`, "value").replaceAll("spec.", "");
}
