import { formatGroupResource } from "@homeostat/core";
import { accessOf, type AccessRule, mergeRules } from "@homeostat/runtime";
import { inNamespaces } from "../definition/in-namespaces.ts";
import { type Installation, installationOf, type ManifestOptions } from "../manifests/options.ts";
import { leaseName } from "../manifests/names.ts";
import type { Operator } from "../definition/operator.ts";
import { reviewAccess } from "../metrics/metrics-service.ts";
import { withoutCovered } from "./policy-rules.ts";

/** What an installation needs to be allowed to do, by where it holds. */
export interface AccessPlan {
  /** In the whole cluster. */
  readonly everywhere: readonly AccessRule[];
  /** In each namespace that is watched, where only some are. */
  readonly watched: readonly AccessRule[];
  /** In namespaces that the definition of a controller names, whatever is watched. */
  readonly fixed: ReadonlyMap<string, readonly AccessRule[]>;
  /** In the namespace that the program itself lives in. */
  readonly own: readonly AccessRule[];
  /** Cluster-wide rights of the webhooks. */
  readonly webhooks: readonly AccessRule[];
  /** What it takes to look after the webhooks' certificates: in the whole cluster, and in the program's own namespace. */
  readonly certificates: { readonly everywhere: readonly AccessRule[]; readonly own: readonly AccessRule[] };
}

/** Stands for whichever namespaces are watched; no namespace can have this name. */
const anyWatched = "*";

/**
 * Everything an installed operator needs to be allowed to do, no less and no more.
 *
 * What its controllers need follows from their definitions; the rest is what the election, the events and the webhooks'
 * certificates ask the API server for.
 */
export function operatorAccess(operator: Operator, options: ManifestOptions = {}): readonly AccessRule[] {
  const installation = installationOf(operator, options);
  const { everywhere, watched, fixed, own, webhooks, certificates } = accessPlan(installation);
  const { metrics = true, metricsSecure = false } = installation.options;
  return mergeRules([
    ...everywhere,
    ...(metrics && metricsSecure ? reviewAccess : []),
    ...webhooks,
    ...certificates.everywhere,
    ...certificates.own,
    ...installation.watchNamespaces.flatMap((namespace) => watched.map((rule) => ({ ...rule, namespace }))),
    ...[...fixed.values()].flat(),
    ...own,
  ]);
}

/** What an installation needs, by where it holds. No verb is in two places of which one would do. */
export function accessPlan(installation: Installation): AccessPlan {
  const work = mergeRules(workAccess(installation));
  const certificates = installation.certificates === "self-managed" ? certificateAccess(installation) : [];
  const everywhere = work.filter((rule) => rule.namespace === undefined);
  const rest = (rules: readonly AccessRule[]): AccessRule[] => withoutCovered(rules, everywhere);
  const named = work.filter((rule) => rule.namespace !== undefined && rule.namespace !== anyWatched);
  const places = [...new Set(named.map((rule) => rule.namespace ?? ""))].toSorted();
  return {
    everywhere: withoutCovered(everywhere, everywhere),
    watched: rest(work.filter((rule) => rule.namespace === anyWatched)),
    fixed: new Map(
      places.flatMap((place) => {
        const rules = rest(named.filter((rule) => rule.namespace === place));
        return rules.length === 0 ? [] : [[place, rules] as const];
      }),
    ),
    own: rest(hasControllers(installation) ? ownAccess(installation) : []),
    webhooks: installation.certificates === undefined ? [] : webhookAccess(installation),
    certificates: {
      everywhere: certificates.filter((rule) => rule.namespace === undefined),
      own: certificates.filter((rule) => rule.namespace !== undefined),
    },
  };
}

/** What the controllers, and what runs beside them, do. */
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
    // A service says itself in which namespaces it works.
    ...services.flatMap((service) => (typeof service === "function" ? [] : (service.access ?? []))),
    ...(controllers.length > 0 ? eventAccess(installation) : []),
  ];
}

function webhookAccess({ operator }: Installation): AccessRule[] {
  const { rules = [] } = operator.webhookAccess ?? {};
  return rules.map(({ type, ...needed }) => ({ group: type.group, resource: type.plural, ...needed }));
}

function hasControllers({ operator, settings }: Installation): boolean {
  return operator.parts(settings).controllers.length > 0;
}

/** The Lease, and events about the pod itself, which a manager records when something keeps it from working. */
function ownAccess({ operator, instance, namespace }: Installation): AccessRule[] {
  const place = { group: "coordination.k8s.io", resource: "leases", namespace };
  return [
    // A rule for creating cannot name the object: it is not there yet when the rule is looked up.
    { ...place, verbs: ["create"] },
    { ...place, verbs: ["get", "update"], names: [leaseName(instance, operator)] },
    { ...events, namespace },
  ];
}

const events = { group: "events.k8s.io", resource: "events", verbs: ["create", "patch"] };

/** Events stand beside what they are about; those about objects without a namespace, in `default`. */
function eventAccess({ operator, settings, watchNamespaces }: Installation): AccessRule[] {
  if (watchNamespaces.length === 0) return [events];
  const { controllers } = operator.parts(settings);
  const chosen = controllers.map(({ definition }) =>
    definition.for.scope === "Cluster" ? "default" : definition.select?.namespace,
  );
  const namespaces = new Set([anyWatched, ...chosen.filter((each) => each !== undefined && each !== "")]);
  return [...namespaces].map((namespace) => ({ ...events, namespace }));
}

/** What a `CertificateKeeper` asks for, over `clientSecretStore` and `clientBundleTarget`. */
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
