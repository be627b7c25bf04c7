import { parseArgs, type ParseArgsConfig } from "node:util";
import { parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";
import { defaultProgramLimits, parseLimits, type ProgramLimits } from "./limits.ts";
import { type ApplicationPort, parseApplicationPorts } from "../sidecar/application-ports.ts";

/** Position of the proxy. */
export type Role = "takeover" | "sidecar" | "gateway";

/** Parsed command line of the proxy. */
export interface ProxySettings {
  readonly role: Role;
  /** `safe` serves all connections with Node's own HTTP modules. */
  readonly engine: "fast" | "safe";
  /** URL of the route server. */
  readonly routeServer: string;
  /** Folder with `token`, renewed by the kubelet. */
  readonly tokenFile: string;
  readonly caFile: string;
  /** Name of this proxy; that of its pod. */
  readonly name: string;
  readonly namespace: string;
  readonly services: readonly string[];
  /** Ports of the application beside a sidecar. */
  readonly applicationPorts: readonly ApplicationPort[];
  /** File that keeps the last tables; empty for none. */
  readonly snapshotFile: string;
  /** Address to listen on. */
  readonly host: string;
  /** Ports of preview hosts, in the role gateway. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Folder with `tls.crt` and `tls.key` of preview hosts; empty for no TLS. */
  readonly certDir: string;
  readonly adminPort: number;
  /** File with the token that `/debug` requires; empty switches `/debug` off. */
  readonly adminTokenFile: string;
  readonly logLevel: LogLevel;
  readonly limits: ProgramLimits;
}

export type Arguments =
  | { readonly run: "help" | "version" }
  | { readonly run: "proxy"; readonly settings: ProxySettings };

const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];
const roles = ["takeover", "sidecar", "gateway"] as const;
const engines = ["fast", "safe"] as const;

/** Options with their defaults and help texts; the help lists them in this order. */
const table = [
  ["role", "takeover", "position of the proxy: takeover (in front of Services), sidecar, gateway"],
  ["engine", "fast", "fast, or safe for Node's own HTTP modules"],
  ["route-server", "https://sandbox-route-server.sandbox-system.svc:7777", "URL of the route server"],
  ["token-file", "/var/run/sandbox-proxy/token", "ServiceAccount token with audience sandbox-routes"],
  ["ca-file", "/var/run/sandbox-proxy/ca.crt", "certificate authority of the route server"],
  ["name", "", "name of this proxy, usually that of its pod (default: the host name)"],
  ["namespace", "", "namespace whose tables to follow (default: that of the token)"],
  ["services", "", "comma-separated Services whose tables to follow (default: all)"],
  ["application-ports", "", "ports of the application beside a sidecar: NAME=PORT:LISTENER, comma-separated"],
  ["snapshot-file", "", "file that keeps the last tables across restarts (default: none)"],
  ["host", "", "address to listen on (default: all)"],
  ["http-port", "8080", "port of preview addresses, role gateway"],
  ["https-port", "8443", "port of preview addresses with TLS, role gateway"],
  ["cert-dir", "", "directory with tls.crt and tls.key of preview addresses, renewed externally (default: no TLS)"],
  ["admin-port", "9090", "port of health, metrics and /debug"],
  ["admin-token-file", "", "file with the token that /debug requires (default: /debug is off)"],
  ["limits", "", "limits that differ from their defaults: NAME=NUMBER, comma-separated; see the reference"],
  ["log-level", "info", "lowest level of log lines: debug, info, warn, error"],
] as const;

type Name = (typeof table)[number][0];

export const help: string = [
  "Usage: sandbox-proxy [options]",
  "",
  "Forwards requests to the workload of their routing key, and all other requests to the baseline.",
  "",
  "Options:",
  ...table.map(([name, value, text]) => {
    const shown = value === "" ? "" : ` (default: ${value})`;
    return `  --${name.padEnd(18)} ${text}${shown}`;
  }),
  `  --${"help".padEnd(18)} print this help`,
  `  --${"version".padEnd(18)} print the version`,
  "",
  "Every option can be set by an environment variable, such as SANDBOX_PROXY_ADMIN_PORT for --admin-port.",
  "",
].join("\n");

const hint = "See sandbox-proxy --help.";

/** Reads options, then environment variables, then defaults. Throws a {@link UsageError} that names all invalid values. */
export function readArguments(words: readonly string[], environment: Environment, hostName: string): Arguments {
  const options: NonNullable<ParseArgsConfig["options"]> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean" },
  };
  for (const [name] of table) options[name] = { type: "string" };
  const parse = () => parseArgs({ args: words, options, allowPositionals: false });
  const { values } = parseOptions(parse, hint);
  if (values["help"] === true) return { run: "help" };
  if (values["version"] === true) return { run: "version" };
  const text = (name: Name): string => {
    const given = values[name];
    return typeof given === "string" ? given : (environment[variableOf(name)] ?? defaultOf(name));
  };
  const problems: string[] = [];
  const attempt = <T>(read: () => T, fallback: T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return fallback;
    }
  };
  const port = (name: Name): number =>
    attempt(() => parseIntegerOption(`--${name}`, text(name), { min: 0, max: 65_535 }), 0);
  const settings: ProxySettings = {
    role: attempt(() => choice("role", text("role"), roles), "takeover"),
    engine: attempt(() => choice("engine", text("engine"), engines), "fast"),
    routeServer: attempt(() => httpsUrl(text("route-server")), ""),
    tokenFile: text("token-file"),
    caFile: text("ca-file"),
    name: text("name") || hostName,
    namespace: text("namespace"),
    services: text("services")
      .split(",")
      .filter((name) => name !== ""),
    applicationPorts: attempt(() => parseApplicationPorts(text("application-ports")), []),
    snapshotFile: text("snapshot-file"),
    host: text("host"),
    httpPort: port("http-port"),
    httpsPort: port("https-port"),
    certDir: text("cert-dir"),
    adminPort: port("admin-port"),
    adminTokenFile: text("admin-token-file"),
    limits: attempt(() => parseLimits(text("limits")), defaultProgramLimits),
    logLevel: attempt(() => choice("log-level", text("log-level"), logLevels), "info"),
  };
  const { role, applicationPorts } = settings;
  if (role === "sidecar" && applicationPorts.length === 0 && problems.length === 0)
    problems.push("--role=sidecar requires --application-ports, such as http=8080:19100.");
  if (role !== "sidecar" && applicationPorts.length > 0)
    problems.push(`--application-ports requires --role=sidecar, not ${role}.`);
  if (problems.length > 0) throw new UsageError(`${problems.join(" ")} ${hint}`);
  return { run: "proxy", settings };
}

export interface Environment {
  readonly [name: string]: string | undefined;
}

function variableOf(name: Name): string {
  return `SANDBOX_PROXY_${name.toUpperCase().replaceAll("-", "_")}`;
}

function defaultOf(name: Name): string {
  return table.find(([each]) => each === name)?.[1] ?? "";
}

function choice<const T extends string>(name: Name, text: string, accepted: readonly T[]): T {
  const found = accepted.find((each) => each === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} is ${JSON.stringify(text)}; it must be one of ${accepted.join(", ")}.`);
}

function httpsUrl(text: string): string {
  const isUrl = URL.canParse(text) && new URL(text).protocol === "https:";
  if (isUrl) return text;
  throw new UsageError(
    `--route-server is ${JSON.stringify(text)}; it must be an https URL such as ${defaultOf("route-server")}.`,
  );
}
