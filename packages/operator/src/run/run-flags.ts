import { dnsLabelProblems } from "@homeostat/core";
import type { Operator } from "../definition/operator.ts";
import { type Flag, flag, type FlagsFor } from "../flags/flag.ts";
import { ports } from "../manifests/names.ts";

const dnsLabel = (text: string): string | undefined =>
  dnsLabelProblems(text).length === 0 ? undefined : "has to be a DNS label: lower-case letters, digits and dashes";

const bindAddress = (text: string): string | undefined =>
  parseBindAddress(text) === undefined ? "has to be host:port, :port, or 0 for none" : undefined;

/** Where to listen. */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads `host:port` or `:port`; undefined for anything else, false for `0`, which stands for "nowhere". */
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
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly logFormat: "json" | "text";
  readonly grace: number;
  readonly drain: number;
  readonly profiling: boolean;
  readonly help: boolean;
}

function fileName(name: string, help: string): Flag<string> {
  const check = (text: string): string | undefined =>
    text === "" || text.includes("/") ? "has to be the name of a file, without a folder" : undefined;
  return flag.text({ default: name, help, placeholder: "file", check });
}

/** Flags that every operator has, in the order in which `--help` shows them. */
export const runFlags: FlagsFor<RunSettings> = {
  kubeconfig: flag.optional({
    help: "the file that says how to reach the cluster; else KUBECONFIG, ~/.kube/config, or the pod's own account",
    placeholder: "file",
    env: null,
  }),
  context: flag.optional({ help: "the context of the kubeconfig to use", placeholder: "name", env: null }),
  watchNamespaces: flag.list({ default: [], help: "the namespaces to work in; all when empty", check: dnsLabel }),
  namespace: flag.optional({
    help: "the namespace this program lives in, with its Lease and Secret; else that of the kubeconfig",
    placeholder: "name",
    env: "POD_NAMESPACE",
    check: dnsLabel,
  }),
  instance: flag.optional({
    help: "the name of this installation, where there are several; else the operator's",
    placeholder: "name",
    env: "OPERATOR_INSTANCE",
    check: dnsLabel,
  }),
  leaderElect: flag.boolean({
    default: false,
    help: "work only while holding the Lease; needed with several replicas",
  }),
  metricsBindAddress: flag.text({
    default: `:${ports.metrics}`,
    help: "where metrics are served; 0 for nowhere",
    placeholder: "host:port",
    check: bindAddress,
  }),
  metricsSecure: flag.boolean({
    default: false,
    help: "serve metrics over HTTPS, to accounts of the cluster that may get /metrics",
  }),
  metricsCertDir: flag.optional({
    help: "a folder with the certificate of metrics, which somebody renews; else the program makes its own",
    placeholder: "folder",
  }),
  metricsCertName: fileName("tls.crt", "the file of that certificate"),
  metricsCertKey: fileName("tls.key", "the file of its key"),
  healthProbeBindAddress: flag.text({
    default: `:${ports.health}`,
    help: "where /healthz and /readyz are served; 0 for nowhere",
    placeholder: "host:port",
    check: bindAddress,
  }),
  webhooks: flag.boolean({ default: true, help: "serve webhooks, where there are some", env: "ENABLE_WEBHOOKS" }),
  webhookPort: flag.integer({ default: ports.webhook, min: 0, max: 65_535, help: "where webhooks are served" }),
  webhookCertDir: flag.optional({
    help: "a folder with the certificate of webhooks, which somebody renews; else the program makes its own",
    placeholder: "folder",
  }),
  webhookCertName: fileName("tls.crt", "the file of that certificate"),
  webhookCertKey: fileName("tls.key", "the file of its key"),
  webhookCertWaitTimeout: flag.duration({
    default: 0,
    maxMs: 86_400_000,
    help: "how long to wait for that certificate before giving up; 0 for as long as it takes",
  }),
  logLevel: flag.choice({
    default: "info",
    choices: ["debug", "info", "warn", "error"],
    help: "which messages are written",
  }),
  logFormat: flag.choice({ default: "json", choices: ["json", "text"], help: "how messages are written" }),
  grace: flag.duration({
    default: 10_000,
    maxMs: 3_600_000,
    env: "SHUTDOWN_GRACE",
    help: "how long running reconciles may take to end when the program stops",
  }),
  drain: flag.duration({
    default: 0,
    maxMs: 3_600_000,
    env: "SHUTDOWN_DRAIN",
    help: "how long webhooks are served at least after the program was told to stop",
  }),
  profiling: flag.boolean({
    default: false,
    help: "take CPU profiles at /debug/profile, for who is on the same machine",
  }),
  help: flag.boolean({ default: false, help: "show this", env: null }),
};

/** Returns the flags of a program that runs an operator, with the defaults that the operator's installation has. */
export function runFlagsOf({ installation }: Pick<Operator, "installation">): FlagsFor<RunSettings> {
  const { metricsSecure = runFlags.metricsSecure.default } = installation;
  return { ...runFlags, metricsSecure: { ...runFlags.metricsSecure, default: metricsSecure } };
}
