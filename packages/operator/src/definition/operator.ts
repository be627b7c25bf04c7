import type { ResourceType } from "@homeostat/core";
import type { AccessDefinition, Controller, ManagerOptions, ServiceDefinition, ServiceTools } from "@homeostat/runtime";
import type { Conversion, Resource } from "@homeostat/schema";
import type { AdmissionWebhook } from "@homeostat/webhook";
import type { ChartAlias } from "../installation/chart-alias.ts";
import type { ChartVariable } from "../installation/chart-variable.ts";
import type { FlagAliases } from "../flags/aliases.ts";
import type { Flags, SettingsOf } from "../flags/flag.ts";
import type { Extras } from "../installation/extra.ts";
import type { InstallationDefaults, OperatorSettings } from "../installation/options.ts";
import type { UninstallStep } from "../installation/uninstall-step.ts";

/**
 * Returns the result of `setup` for the manager that runs the operator. Call it at run time, from a reconciler, a webhook or a
 * service. Before a manager has run `setup`, for example while manifests are generated, it throws a `NotRunningError`.
 */
export type Provided<S> = () => S;

/**
 * A value, or a function that builds it from the settings of the program.
 *
 * The function is called once for each set of settings, also when the operator is defined and when its manifests are generated,
 * and once more for each manager. It must have no side effects: create what needs a client or a registry in `setup`, and open
 * connections in a service.
 */
export type FromSettings<F extends Flags, T, S = unknown> = T | ((settings: SettingsOf<F>, provided: Provided<S>) => T);

/** The definition of an operator, input of {@link defineOperator}. `S` is the type that its `setup` returns. */
export interface OperatorDefinition<F extends Flags = Flags, S = unknown> {
  /** The name of the program and the prefix of all objects that are installed for it: a DNS label of at most 40 characters. */
  readonly name: string;
  /** The semantic version, as in `1.4.0`. Default `0.0.0`. */
  readonly version?: string;
  /** One sentence about what the operator does, for `--help` and the chart. */
  readonly description?: string;
  /** The container image. Default: `<name>:<version>`. */
  readonly image?: string;
  /**
   * A suffix of the name of the Lease, after the name of the installation and a dot. Set it to share the Lease of another program
   * that this operator replaces, so that the two never lead at the same time. Default: none.
   */
  readonly leaseSuffix?: string;
  /** The custom resources whose CRDs are installed with the operator. */
  readonly resources?: readonly Resource[];
  /** Custom resources that the operator uses and that are installed separately. */
  readonly uses?: readonly Pick<ResourceType, "group" | "plural">[];
  /** Conversions between the versions of its custom resources. */
  readonly conversions?: readonly Conversion[];
  /** The operator's own settings, read from the command line and the environment. */
  readonly flags?: F;
  /** Aliases of flags, for users of an operator that this one replaces. */
  readonly flagAliases?: FlagAliases;
  /**
   * Creates dependencies that need the client, transport, registry or clock of a manager. Called once per manager, before its
   * controllers, webhooks and services run; they get the result from `provided()`. Write `setup` before them in the definition, or
   * TypeScript does not infer the type of the result.
   *
   * @example
   * setup: ({ unfencedClient }) => ({ client: unfencedClient }),
   * webhooks: (settings, provided) => [siteWebhook({ read: (name) => provided().client.get(Site, { name }) })],
   */
  setup?(this: void, tools: ServiceTools, settings: SettingsOf<F>): S;
  readonly controllers?: FromSettings<F, readonly Controller[], NoInfer<S>>;
  readonly webhooks?: FromSettings<F, readonly AdmissionWebhook[], NoInfer<S>>;
  /** Services that run beside the controllers, such as a poller or a server. */
  readonly services?: FromSettings<F, readonly ServiceDefinition[], NoInfer<S>>;
  /** Options of its manager: rate limits, how the cache lists, hot loop detection, tracing. */
  readonly manager?: ManagerTuning;
  /** Defaults of the manifests and the chart. */
  readonly installation?: InstallationDefaults;
  /** Environment variables that the program reads directly, exposed as chart values. */
  readonly chartVariables?: readonly ChartVariable[];
  /** Values of another chart that users of this chart may have in their values files. */
  readonly chartAliases?: readonly ChartAlias[];
  /** Optional objects that are installed with the operator, by name. */
  readonly extras?: Extras;
  /** Permissions that neither controllers nor services declare, such as those of a service that is created by a function. */
  readonly access?: FromSettings<F, readonly AccessDefinition[], NoInfer<S>>;
  /** Permissions in the namespace that the operator is installed in, granted by a Role there: its own ConfigMaps and Secrets. */
  readonly ownAccess?: FromSettings<F, readonly OwnAccess[], NoInfer<S>>;
  /** Programs that are installed with the operator, in its namespace, each with an image, replicas and permissions of its own. */
  readonly companions?: readonly Operator[];
  /** Defaults of its installation as a companion of another operator. */
  readonly asCompanion?: CompanionDefaults;
  /** Permissions that are granted only while a setting has a value. */
  readonly settingAccess?: readonly SettingAccess[];
  /**
   * Returns the problems of settings that are valid each but not together: `--groups-header requires --user-header.` Commands with such settings are
   * refused.
   */
  settingProblems?(this: void, settings: SettingsOf<F>): readonly string[];
  /** Permissions of webhooks, granted only if webhooks are enabled. */
  readonly webhookAccess?: WebhookAccess | undefined;
  /** A command that must run before the operator is uninstalled. */
  readonly uninstall?: UninstallStep | undefined;
}

/** A permission in the namespace of the operator. */
export type OwnAccess = Omit<AccessDefinition, "namespace">;

/** Defaults of the installation of an operator as a companion of another one. */
export interface CompanionDefaults {
  /** Its name in chart values, options and flags of the other operator. Default: the name of the companion. */
  readonly name?: string;
  /** False if users have to ask for it. Default: true. */
  readonly isInstalled?: boolean;
}

/** Cluster-wide permissions that an operator needs only while one of its settings is not empty. */
export interface SettingAccess {
  /** The name of a flag with a text or a list: `userHeader`. */
  readonly setting: string;
  /** The end of the name of the role, after the name of the installation and a dash. */
  readonly roleSuffix: string;
  readonly rules: readonly AccessDefinition[];
}

/** Cluster-wide permissions of webhooks. */
export interface WebhookAccess {
  readonly rules: readonly AccessDefinition[];
  /** A boolean chart value; while it is false, the chart does not grant the permissions: `pods.checkReferences`. */
  readonly chartValue?: string;
}

/** The manager options that a definition may set. */
export type ManagerTuning = Pick<ManagerOptions, "cache" | "client" | "hotLoops" | "tracing">;

/** The parts of an operator for one set of settings. */
export interface OperatorParts {
  readonly controllers: readonly Controller[];
  readonly webhooks: readonly AdmissionWebhook[];
  readonly services: readonly ServiceDefinition[];
  readonly access: readonly AccessDefinition[];
  readonly ownAccess: readonly OwnAccess[];
}

/** A validated operator, created by {@link defineOperator}. Input of `runOperator`, `operatorManifests` and `operatorChart`. */
export interface Operator {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly image: string;
  readonly leaseSuffix: string | undefined;
  readonly resources: readonly Resource[];
  readonly conversions: readonly Conversion[];
  readonly flags: Flags;
  readonly flagAliases: FlagAliases;
  readonly manager: ManagerTuning;
  readonly installation: InstallationDefaults;
  readonly chartVariables: readonly ChartVariable[];
  readonly chartAliases: readonly ChartAlias[];
  readonly extras: Extras;
  readonly companions: readonly Operator[];
  readonly asCompanion: Required<CompanionDefaults>;
  readonly settingAccess: readonly SettingAccess[];
  readonly webhookAccess: WebhookAccess | undefined;
  readonly uninstall: UninstallStep | undefined;
  /** Returns the parts for these settings, with the defaults of missing ones. `provided()` throws in these parts. */
  parts(settings?: OperatorSettings): OperatorParts;
  /** Returns the problems of settings that are valid each but not together, with the defaults of missing ones. */
  settingProblems(settings?: OperatorSettings): readonly string[];
  /** Returns new parts for one manager, which must call `setup` before it uses them. */
  forManager(settings?: OperatorSettings): ManagedParts;
}

/** The parts of an operator for one manager. */
export interface ManagedParts extends OperatorParts {
  /** Calls the operator's `setup`. From then on `provided()` returns its result to the parts. */
  setup(this: void, tools: ServiceTools): void;
}
