import { dnsLabelProblems } from "@homeostat/core";
import type { Operator } from "../definition/operator.ts";
import { flagName } from "../flags/names.ts";
import { flag, type FlagsFor } from "../flags/flag.ts";
import type { Extras } from "../manifests/extras.ts";
import type { CertificateSource, ManifestOptions } from "../manifests/options.ts";
import { runFlags } from "./run-flags.ts";

/** The settings of the command `manifests`. */
export interface ManifestSettings {
  readonly namespace: string | undefined;
  readonly createNamespace: boolean;
  readonly instance: string | undefined;
  readonly image: string | undefined;
  readonly imagePullPolicy: "" | "Always" | "IfNotPresent" | "Never";
  readonly replicas: number;
  readonly watchNamespaces: readonly string[];
  readonly webhooks: boolean;
  readonly certificates: CertificateSource;
  readonly leaderElect: boolean;
  readonly metrics: boolean;
  readonly metricsSecure: boolean;
  readonly metricsService: boolean;
  readonly networkPolicy: boolean;
  readonly disruptionBudget: boolean;
  readonly userRoles: boolean;
  readonly with: readonly string[];
  readonly without: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly grace: number;
  readonly only: "all" | "crds";
  readonly help: boolean;
}

/** The flags of the command `manifests`. No environment variables: what is printed depends on what is asked for alone. */
export const manifestFlags = ({ installation, extras }: Operator): FlagsFor<ManifestSettings> => ({
  namespace: flag.optional({
    help: `the namespace to run in; else ${installation.namespace ?? "the name with -system"}`,
    placeholder: "name",
    env: null,
    check: (text) => (dnsLabelProblems(text).length === 0 ? undefined : "has to be a DNS label"),
  }),
  createNamespace: flag.boolean({ default: true, help: "print the namespace too", env: null }),
  instance: { ...runFlags.instance, env: null },
  image: flag.optional({ help: "the image to run from", placeholder: "name", env: null }),
  imagePullPolicy: flag.choice({
    default: "",
    choices: ["", "Always", "IfNotPresent", "Never"],
    help: "when to pull it",
    env: null,
  }),
  replicas: flag.integer({ default: 2, min: 0, max: 100, help: "how many run, of which one leads", env: null }),
  watchNamespaces: { ...runFlags.watchNamespaces, env: null },
  webhooks: flag.boolean({ default: true, help: "serve webhooks, where there are some", env: null }),
  certificates: flag.choice({
    default: "self-managed",
    choices: ["self-managed", "cert-manager"],
    help: "who makes the certificate of webhooks",
    env: null,
  }),
  leaderElect: flag.boolean({ default: true, help: "choose one that works; needed with several replicas", env: null }),
  metrics: flag.boolean({ default: installation.metrics ?? true, help: "serve metrics", env: null }),
  metricsSecure: { ...runFlags.metricsSecure, default: installation.metricsSecure ?? false, env: null },
  metricsService: flag.boolean({ default: true, help: "print a Service for the metrics", env: null }),
  networkPolicy: flag.boolean({
    default: true,
    help: "print a NetworkPolicy for the operator's own pods",
    env: null,
  }),
  disruptionBudget: flag.boolean({ default: true, help: "print a PodDisruptionBudget", env: null }),
  userRoles: flag.boolean({ default: false, help: "print roles for people", env: null }),
  with: flag.list({ default: [], ...extraRules(extras, "what else to print"), env: null }),
  without: flag.list({ default: [], ...extraRules(extras, "what not to print"), env: null }),
  logLevel: { ...runFlags.logLevel, env: null },
  grace: { ...runFlags.grace, env: null },
  only: flag.choice({ default: "all", choices: ["all", "crds"], help: "what to print", env: null }),
  help: runFlags.help,
});

function extraRules(
  extras: Extras,
  help: string,
): { readonly help: string; readonly check: (text: string) => string | undefined } {
  const names = Object.keys(extras).map(flagName);
  return {
    help: names.length === 0 ? `${help}; there is nothing to choose` : `${help}: ${names.join(", ")}`,
    check: (text) => (names.includes(text) ? undefined : `has to be one of ${names.join(", ")}`),
  };
}

/** The options that settings of the command line stand for. */
export function manifestOptionsOf(
  settings: ManifestSettings,
  { extras: known }: Pick<Operator, "extras">,
): ManifestOptions {
  const { imagePullPolicy, grace, leaderElect: leaderElection, only: _only, help: _help, ...more } = settings;
  const { with: wanted, without: unwanted, ...options } = more;
  const pullPolicy = imagePullPolicy === "" ? undefined : imagePullPolicy;
  const extras = Object.keys(known).flatMap((name) => {
    const word = flagName(name);
    return unwanted.includes(word) ? [[name, false]] : wanted.includes(word) ? [[name, true]] : [];
  });
  return {
    ...options,
    leaderElection,
    imagePullPolicy: pullPolicy,
    graceMs: grace,
    extras: Object.fromEntries(extras),
  };
}
