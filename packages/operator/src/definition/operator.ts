import type { ResourceType } from "@homeostat/core";
import type { AccessDefinition, Controller, ManagerOptions, ServiceDefinition, ServiceTools } from "@homeostat/runtime";
import type { Conversion, Resource } from "@homeostat/schema";
import type { AdmissionWebhook } from "@homeostat/webhook";
import type { ChartAlias } from "../chart/aliases.ts";
import type { ChartVariable } from "../chart/variables.ts";
import type { FlagAliases } from "../flags/aliases.ts";
import type { Flags, SettingsOf } from "../flags/flag.ts";
import type { Extras } from "../manifests/extras.ts";
import type { InstallationDefaults } from "../manifests/options.ts";

/**
 * Returns what `setup` returned for the manager that runs the operator. Call it at run time, from a reconciler, a webhook or a
 * service: before a manager is made, as when manifests are computed, it throws a `NotRunningError`.
 */
export type Provided<S> = () => S;

/**
 * A value, or a function that makes it from the settings of the program.
 *
 * The function is called for each set of settings, also when the operator is defined and for its manifests, and once more for
 * each manager. So it makes values and does nothing else: what needs a client or a registry belongs into `setup`, and what opens
 * a connection into a service.
 */
export type FromSettings<F extends Flags, T, S = unknown> = T | ((settings: SettingsOf<F>, provided: Provided<S>) => T);

/** What an operator consists of: {@link defineOperator}. `S` is what its `setup` returns. */
export interface OperatorDefinition<F extends Flags = Flags, S = unknown> {
  /** Names the program and everything that is installed for it: a DNS label of at most 40 characters. */
  readonly name: string;
  /** The release, as in `1.4.0`. Default `0.0.0`. */
  readonly version?: string;
  /** What it does, in a sentence, for `--help` and the chart. */
  readonly description?: string;
  /** The image that it runs from. Default: its name and version. */
  readonly image?: string;
  /** What its Lease is called after the name of the installation and a dot, to be one with that of another program. Default: nothing. */
  readonly leaseSuffix?: string;
  /** The kinds that are installed with it. */
  readonly resources?: readonly Resource[];
  /** Kinds it works with that others install. */
  readonly uses?: readonly Pick<ResourceType, "group" | "plural">[];
  /** How the versions of its kinds become each other. */
  readonly conversions?: readonly Conversion[];
  /** Settings of its own, on the command line and in the environment. */
  readonly flags?: F;
  /** Other names of flags, for users of an operator that this one replaces. */
  readonly flagAliases?: FlagAliases;
  /**
   * Makes what only a manager can give: things built from its client, transport, registry or clock. Called once per manager, before
   * its controllers and webhooks are made, which reach the result through `provided`. Write it before them, so that its type is
   * known there.
   *
   * @example
   * setup: ({ unfencedClient }) => ({ client: unfencedClient }),
   * webhooks: (settings, provided) => [siteWebhook({ read: (name) => provided().client.get(Site, { name }) })],
   */
  setup?(this: void, tools: ServiceTools, settings: SettingsOf<F>): S;
  readonly controllers?: FromSettings<F, readonly Controller[], NoInfer<S>>;
  readonly webhooks?: FromSettings<F, readonly AdmissionWebhook[], NoInfer<S>>;
  /** What runs beside the controllers: a poller, a server. */
  readonly services?: FromSettings<F, readonly ServiceDefinition[], NoInfer<S>>;
  /** How its manager works: a rate limit, how the cache lists, spans. */
  readonly manager?: ManagerTuning;
  /** What it is installed with where nobody says anything else. */
  readonly installation?: InstallationDefaults;
  /** Environment variables that the program reads by itself, as values of its chart. */
  readonly chartVariables?: readonly ChartVariable[];
  /** Values of another chart that users of this one may have in their files. */
  readonly chartAliases?: readonly ChartAlias[];
  /** Objects that are installed with it and that it can do without, by name. */
  readonly extras?: Extras;
  /** Rights for what neither controllers nor services declare: what webhooks read, what a service made by a function does. */
  readonly access?: FromSettings<F, readonly AccessDefinition[], NoInfer<S>>;
  /** Rights of webhooks, granted only where webhooks are served. */
  readonly webhookAccess?: WebhookAccess | undefined;
}

/** Rights that webhooks need in the whole cluster. */
export interface WebhookAccess {
  readonly rules: readonly AccessDefinition[];
  /** A boolean value of the chart; while it is false, the chart does not grant the rights: `pods.checkReferences`. */
  readonly chartValue?: string;
}

/** What a definition may say about the manager that runs it. */
export type ManagerTuning = Pick<ManagerOptions, "cache" | "client" | "hotLoops" | "tracing">;

/** What an operator consists of under one set of settings. */
export interface OperatorParts {
  readonly controllers: readonly Controller[];
  readonly webhooks: readonly AdmissionWebhook[];
  readonly services: readonly ServiceDefinition[];
  readonly access: readonly AccessDefinition[];
}

/** The values of an operator's own flags, by name. */
export type OperatorSettings = Readonly<Record<string, unknown>>;

/** An operator, checked: running it and the manifests that install it both follow from this. Made by {@link defineOperator}. */
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
  readonly webhookAccess: WebhookAccess | undefined;
  /** What it consists of under these settings; where one is missing its default holds. */
  parts(settings?: OperatorSettings): OperatorParts;
  /** What it consists of in one manager, whose tools are given to `setup` first. */
  forManager(settings?: OperatorSettings): ManagedParts;
}

/** What an operator consists of in one manager. */
export interface ManagedParts extends OperatorParts {
  /** Calls the `setup` of the operator. From then on its parts have what that returned. */
  setup(this: void, tools: ServiceTools): void;
}
