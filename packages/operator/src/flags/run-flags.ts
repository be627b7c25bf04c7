import { dnsLabelProblems } from "@homeostat/core";
import { type Flag, flag, type FlagsFor } from "./flag.ts";
import { ports } from "../installation/names.ts";
import type { InstallationDefaults } from "../installation/options.ts";

const dnsLabel = (text: string): string | undefined =>
  dnsLabelProblems(text).length === 0 ? undefined : "must be a DNS label: lowercase letters, digits and dashes";

const bindAddress = (text: string): string | undefined =>
  parseBindAddress(text) === undefined ? "must be host:port, :port, or 0 to disable" : undefined;

/** An address to listen on. */
export interface BindAddress {
  /** Undefined for all addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

/** Parses `host:port` or `:port`. Returns false for `0` and the empty string, which disable the server, undefined for anything else. */
export function parseBindAddress(text: string): BindAddress | false | undefined {
  if (text === "0" || text === "") return false;
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return undefined;
  const host = match[1] ?? match[2];
  return { host: host === "" ? undefined : host, port };
}

/** The settings that every operator has. */
export interface RunSettings {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly watchNamespaces: readonly string[];
  readonly namespace: string | undefined;
  readonly instance: string | undefined;
  readonly leaderElect: boolean;
  readonly metricsBindAddress: string;
  readonly metricsSecure: boolean;
  readonly metricsCertDir: string | undefined;
  readonly metricsCertName: string;
  readonly metricsCertKey: string;
  readonly healthProbeBindAddress: string;
  readonly webhooks: boolean;
  readonly webhookPort: number;
  readonly webhookCertDir: string | undefined;
  readonly webhookCertName: string;
  readonly webhookCertKey: string;
  readonly webhookCertWaitTimeout: number;
  readonly webhookClientCa: string | undefined;
  readonly webhookClientNames: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly logFormat: "json" | "text";
  readonly grace: number;
  readonly drain: number;
  readonly profiling: boolean;
  readonly help: boolean;
}

function fileName(name: string, help: string): Flag<string> {
  const check = (text: string): string | undefined =>
    text === "" || text.includes("/") ? "must be a file name without a directory" : undefined;
  return flag.text({ default: name, help, placeholder: "file", check });
}

/** Flags that every operator has, in the order in which `--help` shows them. */
export const runFlags: FlagsFor<RunSettings> = {
  kubeconfig: flag.optional({
    help: "path to the kubeconfig file; falls back to $KUBECONFIG, ~/.kube/config, then the pod's service account",
    placeholder: "file",
    env: null,
  }),
  context: flag.optional({ help: "name of the kubeconfig context to use", placeholder: "name", env: null }),
  watchNamespaces: flag.list({ default: [], help: "namespaces to watch; all when empty", check: dnsLabel }),
  namespace: flag.optional({
    help: "namespace of the operator's own Lease and Secret; falls back to the namespace of the kubeconfig context",
    placeholder: "name",
    env: "POD_NAMESPACE",
    check: dnsLabel,
  }),
  instance: flag.optional({
    help: "name of this installation, if there are several; defaults to the name of the operator",
    placeholder: "name",
    env: "OPERATOR_INSTANCE",
    check: dnsLabel,
  }),
  leaderElect: flag.boolean({
    default: false,
    help: "reconcile only while holding the leader Lease; required with more than one replica",
  }),
  metricsBindAddress: flag.text({
    default: `:${ports.metrics}`,
    help: "address to serve metrics on; 0 disables metrics",
    placeholder: "host:port",
    check: bindAddress,
  }),
  metricsSecure: flag.boolean({
    default: false,
    help: "serve metrics over HTTPS, to clients whose token is authorized to get /metrics",
  }),
  metricsCertDir: flag.optional({
    help: "directory with the metrics certificate, renewed externally; if unset, the operator generates a self-signed one",
    placeholder: "dir",
  }),
  metricsCertName: fileName("tls.crt", "file name of the metrics certificate in --metrics-cert-dir"),
  metricsCertKey: fileName("tls.key", "file name of the metrics private key in --metrics-cert-dir"),
  healthProbeBindAddress: flag.text({
    default: `:${ports.health}`,
    help: "address to serve /healthz and /readyz on; 0 disables them",
    placeholder: "host:port",
    check: bindAddress,
  }),
  webhooks: flag.boolean({
    default: true,
    help: "serve the operator's admission and conversion webhooks, if it has any",
    env: "ENABLE_WEBHOOKS",
  }),
  webhookPort: flag.integer({ default: ports.webhook, min: 0, max: 65_535, help: "port to serve webhooks on" }),
  webhookCertDir: flag.optional({
    help: "directory with the webhook certificate, renewed externally; if unset, the operator creates and renews one",
    placeholder: "dir",
  }),
  webhookCertName: fileName("tls.crt", "file name of the webhook certificate in --webhook-cert-dir"),
  webhookCertKey: fileName("tls.key", "file name of the webhook private key in --webhook-cert-dir"),
  webhookCertWaitTimeout: flag.duration({
    default: 0,
    maxMs: 86_400_000,
    help: "how long to wait for the certificate in --webhook-cert-dir before exiting; 0 waits forever",
  }),
  webhookClientCa: flag.optional({
    help: "PEM file with CA certificates; admission webhooks then require a client certificate signed by one of them",
    placeholder: "file",
  }),
  webhookClientNames: flag.list({
    default: [],
    help: "common or DNS names of client certificates that may call admission webhooks; any signed one when empty",
  }),
  logLevel: flag.choice({
    default: "info",
    choices: ["debug", "info", "warn", "error"],
    help: "minimum log level",
  }),
  logFormat: flag.choice({ default: "json", choices: ["json", "text"], help: "format of log lines" }),
  grace: flag.duration({
    default: 10_000,
    maxMs: 3_600_000,
    env: "SHUTDOWN_GRACE",
    help: "how long running reconciles may take to finish after SIGTERM",
  }),
  drain: flag.duration({
    default: 0,
    maxMs: 3_600_000,
    env: "SHUTDOWN_DRAIN",
    help: "how long to keep serving webhooks after SIGTERM, at least",
  }),
  profiling: flag.boolean({
    default: false,
    help: "serve CPU profiles at /debug/profile, to local clients only",
  }),
  help: flag.boolean({ default: false, help: "print this help", env: null }),
};

/** Returns the flags of the command `run` with the defaults that the operator's `installation` sets. */
export function runFlagsOf({ installation }: { readonly installation: InstallationDefaults }): FlagsFor<RunSettings> {
  const { metricsSecure = runFlags.metricsSecure.default } = installation;
  return { ...runFlags, metricsSecure: { ...runFlags.metricsSecure, default: metricsSecure } };
}
