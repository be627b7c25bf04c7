import { formatGroupResource } from "@homeostat/core";
import { accessOf, type AccessRule, mergeRules } from "@homeostat/runtime";
import { inNamespaces } from "../definition/in-namespaces.ts";
import { type ManifestOptions } from "../installation/options.ts";
import { type Installation, installationOf } from "../definition/installation.ts";
import { leaseName } from "../installation/names.ts";
import type { Operator, SettingAccess } from "../definition/operator.ts";
import { reviewAccess } from "../metrics/metrics-service.ts";
import { withoutCovered } from "./policy-rules.ts";

/** The permissions of an installation, grouped by the role that grants them. */
export interface AccessPlan {
  /** Cluster-wide. */
  readonly everywhere: readonly AccessRule[];
  /** In each watched namespace; empty if all namespaces are watched. */
  readonly watched: readonly AccessRule[];
  /** In namespaces that a controller definition names, whichever namespaces are watched. */
  readonly fixed: ReadonlyMap<string, readonly AccessRule[]>;
  /** In the namespace of the operator itself. */
  readonly own: readonly AccessRule[];
  /** Cluster-wide permissions of the webhooks. */
  readonly webhooks: readonly AccessRule[];
  /** Permissions to maintain the webhook certificates, cluster-wide and in the namespace of the operator. */
  readonly certificates: { readonly everywhere: readonly AccessRule[]; readonly own: readonly AccessRule[] };
}

/** A placeholder for each watched namespace. Not a valid name of a namespace. */
const anyWatched = "*";

/**
 * Returns exactly the permissions that an installed operator needs.
 *
 * Those of its controllers are derived from their definitions. The rest are for leader election, events and the certificates of
 * webhooks.
 */
export function operatorAccess(operator: Operator, options: ManifestOptions = {}): readonly AccessRule[] {
  const installation = installationOf(operator, options);
  const { everywhere, watched, fixed, own, webhooks, certificates } = accessPlan(installation);
  const { metrics = true, metricsSecure = false } = installation.options;
  return mergeRules([
    ...everywhere,
    ...(metrics && metricsSecure ? reviewAccess : []),
    ...enabledSettingAccess(installation).flatMap(settingRules),
    ...webhooks,
    ...certificates.everywhere,
    ...certificates.own,
    ...installation.watchNamespaces.flatMap((namespace) => watched.map((rule) => ({ ...rule, namespace }))),
    ...[...fixed.values()].flat(),
    ...own,
  ]);
}

/** Returns the permissions of the settings that have a value. */
export function enabledSettingAccess({ operator, settings }: Installation): readonly SettingAccess[] {
  return operator.settingAccess.filter(({ setting }) => {
    const { [setting]: value = operator.flags[setting]?.default } = settings;
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";
  });
}

/** Returns the rules that a setting needs. */
export function settingRules({ rules }: SettingAccess): AccessRule[] {
  return rules.map(({ type, ...needed }) => ({ group: type.group, resource: type.plural, ...needed }));
}

/** Returns the permissions of an installation by role. A verb that is granted cluster-wide is not repeated in a namespace. */
export function accessPlan(installation: Installation): AccessPlan {
  const work = mergeRules(workAccess(installation));
  const certificates = installation.certificates === "self-managed" ? certificateAccess(installation) : [];
  const everywhere = work.filter((rule) => rule.namespace === undefined);
  const rest = (rules: readonly AccessRule[]): AccessRule[] => withoutCovered(rules, everywhere);
  const named = work.filter((rule) => rule.namespace !== undefined && rule.namespace !== anyWatched);
  const namespaces = [...new Set(named.map((rule) => rule.namespace ?? ""))].toSorted();
  return {
    everywhere: withoutCovered(everywhere, everywhere),
    watched: rest(work.filter((rule) => rule.namespace === anyWatched)),
    fixed: new Map(
      namespaces.flatMap((namespace) => {
        const rules = rest(named.filter((rule) => rule.namespace === namespace));
        return rules.length === 0 ? [] : [[namespace, rules] as const];
      }),
    ),
    own: rest([...(hasControllers(installation) ? ownAccess(installation) : []), ...definedOwnAccess(installation)]),
    webhooks: installation.certificates === undefined ? [] : webhookAccess(installation),
    certificates: {
      everywhere: certificates.filter((rule) => rule.namespace === undefined),
      own: certificates.filter((rule) => rule.namespace !== undefined),
    },
  };
}

/** Returns the permissions of the controllers and services. */
function workAccess(installation: Installation): AccessRule[] {
  const { operator, settings, watchNamespaces } = installation;
  const { controllers, services, access } = operator.parts(settings);
  const isNarrow = watchNamespaces.length > 0;
  return [
    ...inNamespaces(controllers, isNarrow ? [anyWatched] : []).flatMap(accessOf),
    ...access.map(({ type, ...needed }): AccessRule => {
      const rule = { group: type.group, resource: type.plural, ...needed };
      return isNarrow && needed.namespace === undefined && type.scope === "Namespaced"
        ? { ...rule, namespace: anyWatched }
        : rule;
    }),
    // Services declare their namespaces themselves, so they are not narrowed to the watched ones.
    ...services.flatMap((service) => (typeof service === "function" ? [] : (service.access ?? []))),
    ...(controllers.length > 0 ? eventAccess(installation) : []),
  ];
}

function webhookAccess({ operator }: Installation): AccessRule[] {
  const { rules = [] } = operator.webhookAccess ?? {};
  return rules.map(({ type, ...needed }) => ({ group: type.group, resource: type.plural, ...needed }));
}

/** Returns the permissions in the operator's namespace that its definition lists. */
function definedOwnAccess({ operator, settings, namespace }: Installation): AccessRule[] {
  const { ownAccess: rules } = operator.parts(settings);
  return rules.map(({ type, ...needed }) => ({ group: type.group, resource: type.plural, ...needed, namespace }));
}

function hasControllers({ operator, settings }: Installation): boolean {
  return operator.parts(settings).controllers.length > 0;
}

/** Returns the permissions for the Lease and for events about the operator's own pod, which report what keeps a manager from running. */
function ownAccess({ operator, instance, namespace }: Installation): AccessRule[] {
  const leases = { group: "coordination.k8s.io", resource: "leases", namespace };
  return [
    // RBAC cannot restrict create by resourceNames: the name is not known when the request is authorized.
    { ...leases, verbs: ["create"] },
    { ...leases, verbs: ["get", "update"], names: [leaseName(instance, operator)] },
    { ...events, namespace },
  ];
}

const events = { group: "events.k8s.io", resource: "events", verbs: ["create", "patch"] };

/** Returns the permissions for events. An event is in the namespace of its object, or in `default` for cluster-scoped objects. */
function eventAccess({ operator, settings, watchNamespaces }: Installation): AccessRule[] {
  if (watchNamespaces.length === 0) return [events];
  const { controllers } = operator.parts(settings);
  const chosen = controllers.map(({ definition }) =>
    definition.for.scope === "Cluster" ? "default" : definition.select?.namespace,
  );
  const namespaces = new Set([anyWatched, ...chosen.filter((each) => each !== undefined && each !== "")]);
  return [...namespaces].map((namespace) => ({ ...events, namespace }));
}

/** Returns the permissions that a `CertificateKeeper` needs with `clientSecretStore` and `clientBundleTarget`. */
function certificateAccess(installation: Installation): AccessRule[] {
  const { operator, settings, instance, namespace, certificateSecret } = installation;
  const { webhooks } = operator.parts(settings);
  const secrets = { group: "", resource: "secrets", namespace };
  const configurations = (type: string): AccessRule[] =>
    webhooks.some((webhook) => webhook.type === type)
      ? [
          {
            group: "admissionregistration.k8s.io",
            resource: `${type}webhookconfigurations`,
            verbs: ["get", "update"],
            names: [instance],
          },
        ]
      : [];
  const converted = operator.conversions.map(({ resource }) => formatGroupResource(resource));
  return [
    { ...secrets, verbs: ["create"] },
    { ...secrets, verbs: ["get", "update"], names: [certificateSecret] },
    ...(converted.length === 0
      ? []
      : [
          {
            group: "apiextensions.k8s.io",
            resource: "customresourcedefinitions",
            verbs: ["get", "update"],
            names: converted,
          },
        ]),
    ...configurations("mutating"),
    ...configurations("validating"),
  ];
}
