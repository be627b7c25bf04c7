// Writes routes of Istio for tables whose requests a mesh routes.
//
// A Service has either a VirtualService of the operator, or routes of the operator within a VirtualService of the user. The first controller
// reconciles tables and writes the objects of the operator. The second one reconciles the VirtualServices of users: it inserts routes, and removes
// them when their table is deleted.

import { type Controller, defineController, desired, type ReconcileResult, when } from "homeostat";
import { annotations, fieldManager } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { decideProvider } from "../decide/mesh-provider.ts";
import {
  type InsertionContext,
  insertionWatches,
  type IstioContext,
  istioOwns,
  istioWatches,
  isOwnService,
} from "../observe/istio-kinds.ts";
import { VirtualService, virtualServiceOf } from "../observe/mesh-kinds.ts";
import { configChanges } from "../observe/config-changes.ts";
import type { RouteVerdict } from "../observe/mesh-status.ts";
import { hasReadyEndpoint, renderedTable, routingSettings } from "../observe/rendered-table.ts";
import { renderVirtualService } from "../render/istio.ts";
import { insertRoutes, routesTo, sourceVersions } from "../render/istio-insertion.ts";
import type { Limitation } from "../render/limitation.ts";
import { meshStatus } from "../status/mesh-status.ts";
import { isServiceSupported, type MeshControllerOptions, meshResyncMs } from "./mesh-options.ts";

/** Defines both controllers. They wait until the CRDs of Istio are installed. */
export function istioControllers(options: MeshControllerOptions): readonly Controller[] {
  return [
    defineController({
      name: "mesh-istio",
      areKindsOptional: true,
      for: RouteTable,
      owns: istioOwns,
      ownership: { inventory: false },
      watches: istioWatches,
      sources: [configChanges(options.followConfig, RouteTable)],
      fieldManager,
      concurrency: options.concurrency,
      resyncMs: meshResyncMs,
      when: when.changed(({ metadata: { uid, generation } }) => [uid, generation]),
      async reconcile(context) {
        return reconcileTable(context, options);
      },
    }),
    defineController({
      name: "mesh-istio-insertion",
      areKindsOptional: true,
      for: VirtualService,
      watches: insertionWatches,
      sources: [configChanges(options.followConfig, VirtualService)],
      access: [{ type: VirtualService, verbs: ["update"] }],
      fieldManager,
      writesStatus: false,
      resyncMs: meshResyncMs,
      async reconcile(context) {
        return reconcileUser(context, options);
      },
    }),
  ];
}

async function reconcileTable(
  context: IstioContext,
  { config, facts }: MeshControllerOptions,
): Promise<ReconcileResult> {
  const { object, key, name, namespace, watched, serverClock, signal, setStatus } = context;
  const isReady = (service: string): boolean =>
    hasReadyEndpoint(watched.slices.by("service", `${namespace}/${service}`));
  const table = renderedTable(object, isReady);
  const user = watched.userVirtualServices
    .list({ namespace })
    .filter((each) => !isOwnService(each))
    .map(virtualServiceOf)
    .find((each) => routesTo(each, table));
  facts().recordIstioUse(key, user !== undefined);
  const provider = decideProvider({
    interception: object.spec.interception,
    setting: config().mesh.provider,
    served: await facts().served(serverClock.now(), signal),
    usesIstio: user !== undefined,
  });
  if (provider !== "istio") {
    await apply(context, undefined);
    if (object.status?.mesh?.provider === "istio") setStatus({ mesh: undefined });
    return {};
  }
  const settings = routingSettings(config(), watched.groups.list());
  const { version } = object.spec;
  if (!isServiceSupported(watched.services.get({ namespace, name }))) {
    await apply(context, undefined);
    const problem = { reason: "ServiceUnsupported", message: "The Service is headless or has no selector" };
    setStatus({ mesh: meshStatus({ provider, version, verdicts: [], limitations: [], problem }) });
    return {};
  }
  if (user === undefined) {
    const { virtualService, limitations } = renderVirtualService({ table, settings });
    await apply(context, virtualService);
    const verdicts: readonly RouteVerdict[] = virtualService === undefined ? [] : [{ state: "accepted" }];
    setStatus({ mesh: meshStatus({ provider, version, verdicts, limitations }) });
    return {};
  }
  await apply(context, undefined);
  const limitations: readonly Limitation[] = insertRoutes({
    virtualService: user,
    tables: [table],
    settings,
  }).limitations;
  const isInserted = sourceVersions(user.metadata.annotations?.[annotations.sourceVersion]).get(name) === version;
  const verdicts: readonly RouteVerdict[] = [{ state: isInserted ? "accepted" : "pending" }];
  setStatus({ mesh: meshStatus({ provider, version, verdicts, limitations }) });
  return {};
}

/** Applies the VirtualService of the operator, or removes it. */
async function apply(
  { managed }: IstioContext,
  rendered: ReturnType<typeof renderVirtualService>["virtualService"],
): Promise<void> {
  const objects =
    rendered === undefined ? [] : [desired(VirtualService, { metadata: rendered.metadata, spec: rendered.spec })];
  (await managed.sync([{ name: "routes", objects }])).throwIfFailed();
}

/**
 * Inserts the routes of all tables into a VirtualService of a user. The update carries the resource version that the routes were derived from: if the
 * user has changed the object since, the API server refuses it, and the next reconcile derives them again.
 */
async function reconcileUser(
  { object, namespace, watched, client, serverClock, signal }: InsertionContext,
  { config, facts }: MeshControllerOptions,
): Promise<ReconcileResult> {
  if (isOwnService(object) || object.metadata.deletionTimestamp !== undefined) return {};
  if (object.metadata.annotations?.[annotations.ignore] === "true" && !hasInsertedRoutes(object)) return {};
  const virtualService = virtualServiceOf(object);
  const isReady = (service: string): boolean =>
    hasReadyEndpoint(watched.slices.by("service", `${namespace}/${service}`));
  const served = await facts().served(serverClock.now(), signal);
  const setting = config().mesh.provider;
  const tables = watched.tables
    .list({ namespace })
    .filter(({ spec }) => decideProvider({ ...spec, setting, served, usesIstio: true }) === "istio")
    .map((table) => renderedTable(table, isReady))
    .filter((table) => routesTo(virtualService, table));
  const settings = routingSettings(config(), watched.groups.list());
  const { virtualService: changed } = insertRoutes({ virtualService, tables, settings });
  if (changed === undefined) return {};
  const { metadata } = object;
  const updated = {
    ...object,
    metadata: { ...metadata, annotations: { ...changed.metadata.annotations } },
    spec: changed.spec,
  };
  await client.update(VirtualService, updated, { signal });
  return {};
}

function hasInsertedRoutes({ metadata }: InsertionContext["object"]): boolean {
  return metadata.annotations?.[annotations.sourceVersion] !== undefined;
}
