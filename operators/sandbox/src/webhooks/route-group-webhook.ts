import { type AdmissionWebhook, type Finding, validatingWebhook } from "homeostat";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import { routeGroupDenials } from "../policy/denials.ts";
import type { ObjectProblem, ObjectWarning } from "../validation/problem.ts";
import { routeGroupProblems } from "../validation/route-group-rules.ts";
import { routeGroupWarnings } from "../validation/warnings.ts";
import { type Change, changesSpec, findingsOf, readPolicies, type WebhookTools } from "./admission.ts";
import { mapBounded, withinDeadline } from "./bounded.ts";
import { creatorProblems } from "./creator-webhooks.ts";
import { endpointServiceProblems } from "./endpoint-services.ts";
import { asksForUnique, keyChangeProblems, readOwners, uniquenessProblems } from "./uniqueness.ts";

/** Builds the webhook that refuses RouteGroups that cannot or must not be used. */
export function routeGroupWebhook(tools: WebhookTools): AdmissionWebhook {
  return validatingWebhook({
    for: RouteGroup,
    validate: (object, old, context) => findings({ object, old, context }, tools),
  });
}

async function* findings(change: Change<CachedRouteGroup>, tools: WebhookTools): AsyncIterable<Finding> {
  const { object, old, context } = change;
  yield* findingsOf(creatorProblems(object, old), {});
  if (!changesSpec(change)) return;
  const rules = { namespace: context.namespace, config: tools.config() };
  const known = old === undefined ? [] : routeGroupProblems(old, rules);
  const problems = [...keyChangeProblems(object, old), ...routeGroupProblems(object, rules)];
  const cluster = await withinDeadline({ clock: tools.clock, signal: context.signal }, async (signal) =>
    clusterProblems(change, tools, signal),
  );
  const warnings = problems.length === 0 ? [...routeGroupWarnings(object), ...cluster.warnings] : [];
  yield* findingsOf([...problems, ...cluster.problems], { known: [...known, ...cluster.known], warnings });
}

async function clusterProblems(
  { object, old, context }: Change<CachedRouteGroup>,
  { reader, config }: WebhookTools,
  signal: AbortSignal,
): Promise<{ problems: ObjectProblem[]; known: ObjectProblem[]; warnings: ObjectWarning[] }> {
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
      const message = `Sandbox ${targetSandbox} does not exist in this namespace; the route is used when it does`;
      return missing.has(targetSandbox) ? [{ path: `spec.routes[${index}].targetSandbox`, message }] : [];
    }),
  };
}
