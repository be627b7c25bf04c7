// Writes routes of the Gateway API for tables whose requests a mesh routes.

import { type Controller, defineController, desired, type ReconcileResult, when } from "homeostat";
import { fieldManager } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { probePatienceMs, type ProbeResult, resultOf } from "../decide/mesh-probe.ts";
import { decideProvider } from "../decide/mesh-provider.ts";
import { configChanges } from "../observe/config-changes.ts";
import { type GatewayContext, gatewayOwns, gatewayWatches, isOurs } from "../observe/gateway-kinds.ts";
import { GRPCRoute, grpcRouteOf, HTTPRoute, httpRouteOf } from "../observe/mesh-kinds.ts";
import { probesOf, type RouteVerdict, routeVerdict } from "../observe/mesh-status.ts";
import { hasReadyEndpoint, renderedTable, routingSettings } from "../observe/rendered-table.ts";
import { type GatewayOutput, renderGatewayApi } from "../render/gateway-api.ts";
import { meshStatus } from "../status/mesh-status.ts";
import { isServiceSupported, type MeshControllerOptions, meshResyncMs, unknownRetryMs } from "./mesh-options.ts";

/** Defines the controller. It waits until the CRDs of the Gateway API are installed. */
export function gatewayController({ config, followConfig, facts, concurrency }: MeshControllerOptions): Controller {
  return defineController({
    name: "mesh-gatewayapi",
    areKindsOptional: true,
    for: RouteTable,
    owns: gatewayOwns,
    ownership: { inventory: false },
    watches: gatewayWatches,
    sources: [configChanges(followConfig, RouteTable)],
    fieldManager,
    concurrency,
    resyncMs: meshResyncMs,
    when: when.changed(({ metadata: { uid, generation }, status }) => [uid, generation, status?.mesh?.provider]),
    async reconcile(context) {
      return reconcile(context, { config, facts });
    },
  });
}

async function reconcile(
  context: GatewayContext,
  { config, facts }: Pick<MeshControllerOptions, "config" | "facts">,
): Promise<ReconcileResult> {
  const { object: table, key, serverClock, signal, setStatus } = context;
  const now = serverClock.now();
  const provider = decideProvider({
    interception: table.spec.interception,
    setting: config().mesh.provider,
    served: await facts().served(now, signal),
    usesIstio: facts().usesIstio(key),
  });
  if (provider === "unknown") return { requeueAfterMs: unknownRetryMs };
  if (provider !== "gatewayapi") {
    await apply(context, undefined);
    if (table.status?.mesh?.provider === "gatewayapi") setStatus({ mesh: undefined });
    return {};
  }
  const probe = probeOf(context, now);
  const { headerRegex } = config().mesh;
  // The first routes wait for the result of the probe, so they are not written twice.
  if (headerRegex === "auto" && probe === "pending" && table.status?.mesh === undefined) {
    return { requeueAfterMs: probePatienceMs };
  }
  const output = render(context, {
    settings: routingSettings(config(), context.watched.groups.list()),
    isRegexSupported: headerRegex === "auto" ? acceptsRegex(context, probe) : headerRegex,
  });
  const problem = problemOf(output, probe);
  const verdicts = await apply(context, output);
  const { limitations } = output;
  const { version } = table.spec;
  setStatus({ mesh: meshStatus({ provider, version, verdicts, limitations, problem }) });
  return {};
}

/** Returns the result of the probes of the namespace. */
function probeOf({ watched, namespace }: GatewayContext, now: number): ProbeResult {
  return resultOf(probesOf(watched.userHttpRoutes.list({ namespace })), now);
}

/** Without a result, as after a probe was deleted, the routes keep their form. */
function acceptsRegex({ object }: GatewayContext, probe: ProbeResult): boolean {
  if (probe !== "pending") return probe === "accepted";
  return object.status?.mesh?.limitations?.some(({ name }) => name === "HeaderFormsLimited") !== true;
}

function render(
  { object, name, namespace, watched }: GatewayContext,
  options: Pick<Parameters<typeof renderGatewayApi>[0], "settings" | "isRegexSupported">,
): GatewayOutput {
  const isReady = (service: string): boolean =>
    hasReadyEndpoint(watched.slices.by("service", `${namespace}/${service}`));
  const http = watched.userHttpRoutes.list({ namespace }).filter((route) => !isOurs(route));
  const grpc = watched.userGrpcRoutes.list({ namespace }).filter((route) => !isOurs(route));
  return renderGatewayApi({
    ...options,
    table: renderedTable(object, isReady),
    isServiceSupported: isServiceSupported(watched.services.get({ namespace, name })),
    userRoutes: { http: http.map(httpRouteOf), grpc: grpc.map(grpcRouteOf) },
  });
}

function problemOf({ limitations }: GatewayOutput, probe: ProbeResult) {
  const unsupported = limitations.find(({ name }) => name === "ServiceUnsupported");
  if (unsupported !== undefined) return { reason: unsupported.name, message: unsupported.message };
  if (probe !== "absent") return undefined;
  return {
    reason: "MeshNotFound",
    message: "No mesh has accepted or rejected a probe route in this namespace within 30 seconds",
  };
}

/** Applies the rendered routes and removes others. Returns the verdict of the mesh about them. */
async function apply(
  { managed, owned, namespace }: GatewayContext,
  output: GatewayOutput | undefined,
): Promise<readonly RouteVerdict[]> {
  const { httpRoutes = [], grpcRoutes = [] } = output ?? {};
  const objects = [
    ...httpRoutes.map(({ metadata, spec }) => desired(HTTPRoute, { metadata, spec })),
    ...grpcRoutes.map(({ metadata, spec }) => desired(GRPCRoute, { metadata, spec })),
  ];
  const result = await managed.sync([{ name: "routes", objects }]);
  result.throwIfFailed();
  const pending: RouteVerdict = { state: "pending" };
  const verdictOf = (route: Parameters<typeof routeVerdict>[0] | undefined): RouteVerdict =>
    route === undefined ? pending : routeVerdict(route);
  return [
    ...httpRoutes.map(({ metadata: { name } }) => verdictOf(owned.httpRoutes.get({ namespace, name }))),
    ...grpcRoutes.map(({ metadata: { name } }) => verdictOf(owned.grpcRoutes.get({ namespace, name }))),
  ];
}
