// The check of a RouteGroup: by admission, and by `sandboxctl policy check`.

import type { CachedRouteGroup } from "../api/route-group.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import { routeGroupDenials } from "../policy/denials.ts";
import { unknownKey } from "../preview/fork-preview.ts";
import { previewLines, type PreviewLine } from "../preview/preview.ts";
import { compareRoutes, withView } from "../preview/route-preview.ts";
import { compileMatch, effectiveLabels } from "../routes/match.ts";
import { routeGroupView, sandboxView } from "../routes/object-views.ts";
import { routeGroupProblems } from "../validation/route-group-rules.ts";
import { routeGroupWarnings } from "../validation/warnings.ts";
import {
  type Change,
  changesSpec,
  nothingToCheck,
  type ObjectCheck,
  readPolicies,
  type WebhookTools,
} from "./admission.ts";
import { mapBounded, withinDeadline } from "./bounded.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { creatorProblems } from "./creator-webhooks.ts";
import { endpointServiceProblems } from "./endpoint-services.ts";
import { readServices } from "./sandbox-preview.ts";
import { asksForUnique, keyChangeProblems, readOwners, routingKeyOf, uniquenessProblems } from "./uniqueness.ts";

/** Checks a new or changed RouteGroup. Reads from the API server and changes nothing. */
export async function checkRouteGroup(change: Change<CachedRouteGroup>, tools: WebhookTools): Promise<ObjectCheck> {
  const { object, old, context } = change;
  const creator = creatorProblems(object, old);
  if (!changesSpec(change)) return { ...nothingToCheck, problems: creator };
  const rules = { namespace: context.namespace, config: tools.config() };
  const known = old === undefined ? [] : routeGroupProblems(old, rules);
  const problems = [...creator, ...keyChangeProblems(object, old), ...routeGroupProblems(object, rules)];
  const isValid = problems.length === 0;
  const cluster = await withinDeadline({ ...tools, signal: context.signal }, async (signal) => ({
    ...(await clusterCheck(change, tools, signal)),
    preview: isValid && context.dryRun ? await groupPreview(change, { reader: tools.reader, signal }) : [],
  }));
  return {
    problems: [...problems, ...cluster.problems],
    known: [...known, ...cluster.known],
    warnings: isValid ? [...routeGroupWarnings(object), ...cluster.warnings] : [],
    preview: cluster.preview,
  };
}

async function clusterCheck(
  { object, old, context }: Change<CachedRouteGroup>,
  { reader, config }: WebhookTools,
  signal: AbortSignal,
): Promise<Omit<ObjectCheck, "preview">> {
  const { namespace } = context;
  const { endpoints, routes } = object.spec;
  const namespaces = endpoints.map(({ target }) => parseEndpointTarget(target)?.namespace ?? namespace);
  const [policyOf, others, services, sandboxes] = await Promise.all([
    readPolicies([namespace, ...namespaces], reader, signal),
    asksForUnique(object, old) ? readOwners(reader, signal) : [],
    endpointServiceProblems(endpoints, old?.spec.endpoints ?? [], { reader, signal }),
    mapBounded([...new Set(routes.map(({ targetSandbox }) => targetSandbox))], async (name) =>
      (await reader.sandbox(namespace, name, signal)) === undefined ? name : undefined,
    ),
  ]);
  const world = { policyOf, labelsOf: () => undefined };
  const missing = new Set(sandboxes);
  return {
    problems: [
      ...routeGroupDenials(object, { namespace, world }),
      ...services,
      ...uniquenessProblems(object, { namespace, others, domain: config().preview.domain }),
    ],
    known: old === undefined ? [] : routeGroupDenials(old, { namespace, world }),
    warnings: routes.flatMap(({ targetSandbox }, index) => {
      const message = `Sandbox ${targetSandbox} does not exist in this namespace; the route takes effect when it is created`;
      return missing.has(targetSandbox) ? [{ path: `spec.routes[${index}].targetSandbox`, message }] : [];
    }),
  };
}

/** Returns the effects of a new or changed RouteGroup. */
async function groupPreview(
  { object, old, context: { namespace } }: Change<CachedRouteGroup>,
  {
    reader,
    signal,
  }: { readonly reader: Pick<ClusterReader, "routeGroups" | "sandboxes" | "services">; readonly signal: AbortSignal },
): Promise<PreviewLine[]> {
  const [sandboxes, groups] = await Promise.all([reader.sandboxes(namespace, signal), reader.routeGroups(signal)]);
  const services = await readServices(targetNamespaces(sandboxes, namespace), { reader, signal });
  const others = groups
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.name !== object.metadata.name)
    .map(routeGroupView);
  const routingKey = routingKeyOf(object) ?? unknownKey;
  const viewOf = (group: CachedRouteGroup) =>
    routeGroupView({
      ...group,
      metadata: { ...group.metadata, namespace },
      status: { ...group.status, routingKey },
    });
  const views = sandboxes.map(sandboxView);
  const routes = compareRoutes(
    { sandboxes: views, groups: old === undefined ? others : withView(others, viewOf(old)) },
    { sandboxes: views, groups: withView(others, viewOf(object)) },
    [...services.values()].flat(),
  );
  const before = new Set(old === undefined ? [] : included(old, sandboxes));
  const added = included(object, sandboxes).filter((name) => !before.has(name));
  return previewLines({ sandboxes: added, routes, hasUid: true });
}

function targetNamespaces(sandboxes: readonly CachedSandbox[], namespace: string): ReadonlySet<string> {
  return new Set(
    sandboxes.flatMap(({ spec }) => spec.services.map(({ targetRef }) => targetRef.namespace ?? namespace)),
  );
}

/** Returns the names of the sandboxes that the match of a group includes, sorted. */
function included({ spec }: CachedRouteGroup, sandboxes: readonly CachedSandbox[]): string[] {
  const isIncluded = compileMatch(spec.match);
  return sandboxes
    .filter(({ metadata, spec: { labels, suspend } }) => {
      const isRouted = metadata.deletionTimestamp === undefined && !suspend;
      return isRouted && isIncluded(effectiveLabels(metadata.labels ?? {}, labels));
    })
    .map(({ metadata }) => metadata.name ?? "")
    .toSorted();
}
