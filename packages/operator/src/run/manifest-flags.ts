import { dnsLabelProblems } from "@homeostat/core";
import type { Operator } from "../definition/operator.ts";
import { flagName } from "../flags/names.ts";
import { flag, type FlagsFor } from "../flags/flag.ts";
import type { CertificateSource, ManifestOptions } from "../installation/options.ts";
import { runFlags } from "../flags/run-flags.ts";

/** Settings of the command `manifests`. */
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
  readonly companionImages: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly grace: number;
  readonly only: "all" | "crds";
  readonly help: boolean;
}

/** Flags of the command `manifests`. None reads an environment variable, so that the output depends on the command line alone. */
export const manifestFlags = ({ installation, extras, companions }: Operator): FlagsFor<ManifestSettings> => ({
  namespace: flag.optional({
    help: `namespace to install into; defaults to ${installation.namespace ?? "the installation name with -system"}`,
    placeholder: "name",
    env: null,
    check: (text) => (dnsLabelProblems(text).length === 0 ? undefined : "must be a DNS label"),
  }),
  createNamespace: flag.boolean({ default: true, help: "print the Namespace as well", env: null }),
  instance: { ...runFlags.instance, env: null },
  image: flag.optional({ help: "container image of the operator", placeholder: "name", env: null }),
  imagePullPolicy: flag.choice({
    default: "",
    choices: ["", "Always", "IfNotPresent", "Never"],
    help: "image pull policy of the operator's container",
    env: null,
  }),
  replicas: flag.integer({
    default: installation.replicas ?? 2,
    min: 0,
    max: 100,
    help: "number of pods, one of which is the leader",
    env: null,
  }),
  watchNamespaces: { ...runFlags.watchNamespaces, env: null },
  webhooks: flag.boolean({ default: true, help: "install webhooks, if the operator has any", env: null }),
  certificates: flag.choice({
    default: "self-managed",
    choices: ["self-managed", "cert-manager"],
    help: "issuer of the webhook certificate",
    env: null,
  }),
  leaderElect: flag.boolean({
    default: installation.leaderElection ?? true,
    help: "enable leader election; required with more than one replica",
    env: null,
  }),
  metrics: flag.boolean({ default: installation.metrics ?? true, help: "serve metrics", env: null }),
  metricsSecure: { ...runFlags.metricsSecure, default: installation.metricsSecure ?? false, env: null },
  metricsService: flag.boolean({ default: true, help: "print a Service for metrics", env: null }),
  networkPolicy: flag.boolean({
    default: true,
    help: "print a NetworkPolicy for the operator's own pods",
    env: null,
  }),
  disruptionBudget: flag.boolean({ default: true, help: "print a PodDisruptionBudget", env: null }),
  userRoles: flag.boolean({
    default: false,
    help: "print ClusterRoles that aggregate to view, edit and admin",
    env: null,
  }),
  with: flag.list({
    default: [],
    ...extraRules(
      { ...extras, ...byName(companions.filter(({ asCompanion }) => !asCompanion.isInstalled)) },
      "extras to print that are off by default",
    ),
    env: null,
  }),
  without: flag.list({
    default: [],
    ...extraRules({ ...extras, ...byName(companions) }, "extras to leave out"),
    env: null,
  }),
  companionImages: flag.list({ default: [], ...imageRules(companions), env: null }),
  logLevel: { ...runFlags.logLevel, env: null },
  grace: { ...runFlags.grace, env: null },
  only: flag.choice({ default: "all", choices: ["all", "crds"], help: "objects to print", env: null }),
  help: runFlags.help,
});

function extraRules(
  extras: Readonly<Record<string, unknown>>,
  help: string,
): { readonly help: string; readonly check: (text: string) => string | undefined } {
  const names = Object.keys(extras).map(flagName);
  return {
    help: names.length === 0 ? `${help}; this operator has none` : `${help}: ${names.join(", ")}`,
    check: (text) => (names.includes(text) ? undefined : `must be one of ${names.join(", ")}`),
  };
}

/** Returns the companions as extras are listed, because `--with` and `--without` accept both. */
function byName(companions: Operator["companions"]): Readonly<Record<string, true>> {
  return Object.fromEntries(companions.map(({ asCompanion }) => [asCompanion.name, true]));
}

function imageRules(companions: Operator["companions"]): {
  readonly help: string;
  readonly check: (text: string) => string | undefined;
} {
  const names = companions.map(({ asCompanion }) => asCompanion.name);
  const help = "images of other programs that are installed, as NAME=IMAGE";
  return {
    help: names.length === 0 ? `${help}; this operator has none` : `${help}: ${names.join(", ")}`,
    check: (text) =>
      names.some((name) => text.startsWith(`${name}=`) && text.length > name.length + 1)
        ? undefined
        : `must be NAME=IMAGE with one of the names ${names.join(", ")}`,
  };
}

/** Converts the settings of the command line to options of `operatorManifests`. */
export function manifestOptionsOf(
  settings: ManifestSettings,
  { extras: known, companions }: Pick<Operator, "extras" | "companions">,
): ManifestOptions {
  const { imagePullPolicy, grace, leaderElect: leaderElection, only: _only, help: _help, ...more } = settings;
  const { with: wanted, without: unwanted, companionImages, ...options } = more;
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
    companions: Object.fromEntries(
      companions.map(({ asCompanion: { name, isInstalled } }) => {
        const image = companionImages.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
        const { networkPolicy, disruptionBudget } = options;
        const isWanted = (isInstalled || wanted.includes(name)) && !unwanted.includes(name);
        return [name, isWanted ? { image, networkPolicy, disruptionBudget } : false];
      }),
    ),
  };
}
