// The state of the incremental compiler: objects, indexes over them, and the keys touched since the last compilation.

import { isEqual, type Labels } from "@homeostat/core";
import { AnchorIndex } from "./anchors.ts";
import { KeyRegistry } from "./key-registry.ts";
import type { KeyClaim } from "./keys.ts";
import { compileMatch, compileServiceSelector, effectiveLabels, type LabelTest } from "./match.ts";
import { servicesOfGroup } from "./reports.ts";
import { routesOf, type SandboxRoutes } from "./sandbox-routes.ts";
import { SetMap } from "./set-map.ts";
import { claimOf, type GroupState, isMember, type RouteState, type SandboxState } from "./state.ts";
import { type LocalWorkloadView, type RouteGroupView, type SandboxView, type ServiceView, viewKey } from "./views.ts";

interface LiveSandbox extends SandboxState {
  view: SandboxView;
  labels: Labels;
  routes: SandboxRoutes;
  readonly groups: Set<LiveGroup>;
}

interface LiveGroup extends GroupState {
  view: RouteGroupView;
  includes: LabelTest;
  selects: LabelTest;
  readonly members: Set<LiveSandbox>;
}

/** Keys of the objects touched since the last compilation. */
export interface Touched {
  /** Services whose tables must be compiled. */
  readonly services: Set<string>;
  /** Groups and sandboxes whose reports may have changed. */
  readonly groups: Set<string>;
  readonly sandboxes: Set<string>;
}

/** The state of all routes, changed object by object. */
export class LiveState implements RouteState {
  readonly touched: Touched = { services: new Set(), groups: new Set(), sandboxes: new Set() };

  readonly #services = new Map<string, ServiceView>();
  readonly #sandboxes = new Map<string, LiveSandbox>();
  readonly #groups = new Map<string, LiveGroup>();
  readonly #workloads = new Map<string, LocalWorkloadView>();
  /** Members of a namespace: sandboxes by namespace, and groups by the labels that their match needs. */
  readonly #sandboxesIn = new SetMap<LiveSandbox>();
  readonly #groupsIn = new Map<string, AnchorIndex<LiveGroup>>();
  readonly #workloadsOf = new SetMap<LocalWorkloadView>();
  readonly #overriders = new SetMap<LiveSandbox>();
  readonly #groupsNaming = new SetMap<LiveGroup>();
  /** Groups with explicit routes for a key other than their own. */
  readonly #groupsUsing = new SetMap<LiveGroup>();
  readonly #keys = new KeyRegistry();

  service(key: string): ServiceView | undefined {
    return this.#services.get(key);
  }

  sandbox(key: string): SandboxState | undefined {
    return this.#sandboxes.get(key);
  }

  group(key: string): GroupState | undefined {
    return this.#groups.get(key);
  }

  overriders(serviceKey: string): Iterable<SandboxState> {
    return this.#overriders.get(serviceKey);
  }

  groupsNaming(sandboxKey: string): Iterable<GroupState> {
    return this.#groupsNaming.get(sandboxKey);
  }

  keyOwner(routingKey: string): KeyClaim | undefined {
    return this.#keys.owner(routingKey);
  }

  sandboxKeys(): Iterable<string> {
    return this.#sandboxes.keys();
  }

  groupKeys(): Iterable<string> {
    return this.#groups.keys();
  }

  serviceKeys(): Iterable<string> {
    return this.#services.keys();
  }

  workloadKeys(): Iterable<string> {
    return this.#workloads.keys();
  }

  setService(key: string, view: ServiceView | undefined): void {
    if (isEqual(this.#services.get(key), view)) return;
    if (view === undefined) this.#services.delete(key);
    else this.#services.set(key, view);
    this.touched.services.add(key);
    for (const sandbox of this.#overriders.get(key)) this.#touchReports(sandbox);
  }

  setSandbox(key: string, view: SandboxView | undefined): void {
    const known = this.#sandboxes.get(key);
    if (isEqual(known?.view, view)) return;
    const before = known?.view;
    if (known !== undefined) this.#touchSandbox(known);
    if (known !== undefined && view === undefined) this.#removeSandbox(known);
    else if (view !== undefined) this.#touchSandbox(this.#putSandbox(key, view));
    this.#claim("Sandbox", before, view);
  }

  setGroup(key: string, view: RouteGroupView | undefined): void {
    const known = this.#groups.get(key);
    if (isEqual(known?.view, view)) return;
    const before = known?.view;
    if (known !== undefined) {
      this.#touchGroup(known);
      this.#unlinkGroup(known);
    }
    if (view === undefined) this.#groups.delete(key);
    else this.#touchGroup(this.#putGroup(key, view));
    this.touched.groups.add(key);
    this.#claim("RouteGroup", before, view);
  }

  setWorkload(key: string, view: LocalWorkloadView | undefined): void {
    const known = this.#workloads.get(key);
    if (isEqual(known, view)) return;
    if (known !== undefined) this.#workloadsOf.delete(sandboxKeyOf(known), known);
    if (view === undefined) this.#workloads.delete(key);
    else {
      this.#workloads.set(key, view);
      this.#workloadsOf.add(sandboxKeyOf(view), view);
    }
    const keys = new Set([known, view].flatMap((each) => (each === undefined ? [] : [sandboxKeyOf(each)])));
    for (const sandboxKey of keys) {
      const sandbox = this.#sandboxes.get(sandboxKey);
      if (sandbox === undefined) continue;
      this.#touchSandbox(sandbox);
      this.#setRoutes(sandbox, sandboxKey);
      this.#touchSandbox(sandbox);
    }
  }

  #putSandbox(key: string, view: SandboxView): LiveSandbox {
    const labels = effectiveLabels(view.metadataLabels, view.specLabels);
    const known = this.#sandboxes.get(key);
    const sandbox = known ?? { view, labels, routes: new Map(), groups: new Set() };
    sandbox.view = view;
    sandbox.labels = labels;
    if (known === undefined) {
      this.#sandboxes.set(key, sandbox);
      this.#sandboxesIn.add(view.namespace, sandbox);
    }
    this.#setRoutes(sandbox, key);
    const groups = this.#groupsIn.get(view.namespace)?.candidates(labels) ?? new Set();
    for (const group of sandbox.groups) if (!isMember(group, sandbox)) unlink(group, sandbox);
    for (const group of groups) if (isMember(group, sandbox)) link(group, sandbox);
    return sandbox;
  }

  #removeSandbox(sandbox: LiveSandbox): void {
    for (const service of sandbox.routes.keys()) this.#overriders.delete(service, sandbox);
    for (const group of sandbox.groups) unlink(group, sandbox);
    this.#sandboxesIn.delete(sandbox.view.namespace, sandbox);
    this.#sandboxes.delete(viewKey(sandbox.view));
  }

  #setRoutes(sandbox: LiveSandbox, key: string): void {
    const routes = routesOf(sandbox.view, this.#workloadsOf.get(key));
    for (const service of sandbox.routes.keys()) if (!routes.has(service)) this.#overriders.delete(service, sandbox);
    for (const service of routes.keys()) this.#overriders.add(service, sandbox);
    sandbox.routes = routes;
  }

  #putGroup(key: string, view: RouteGroupView): LiveGroup {
    const group: LiveGroup = {
      view,
      includes: compileMatch(view.match),
      selects: compileServiceSelector(view.selector),
      members: new Set(),
    };
    this.#groups.set(key, group);
    const index = this.#groupsIn.get(view.namespace) ?? new AnchorIndex();
    this.#groupsIn.set(view.namespace, index);
    index.add(group, view.match);
    for (const { targetSandbox, routingKey } of view.routes) {
      this.#groupsNaming.add(`${view.namespace}/${targetSandbox}`, group);
      if (routingKey !== undefined) this.#groupsUsing.add(routingKey, group);
    }
    for (const sandbox of this.#sandboxesIn.get(view.namespace)) if (isMember(group, sandbox)) link(group, sandbox);
    return group;
  }

  #unlinkGroup(group: LiveGroup): void {
    const { view } = group;
    this.#groupsIn.get(view.namespace)?.remove(group, view.match);
    for (const { targetSandbox, routingKey } of view.routes) {
      this.#groupsNaming.delete(`${view.namespace}/${targetSandbox}`, group);
      if (routingKey !== undefined) this.#groupsUsing.delete(routingKey, group);
    }
    for (const sandbox of group.members) unlink(group, sandbox);
  }

  /** Replaces the claim of an object to its key, and touches all objects whose routes depend on the owner of a key. */
  #claim(kind: KeyClaim["kind"], before: SandboxView | RouteGroupView | undefined, after: typeof before): void {
    const changes = this.#keys.replace(
      before?.routingKey === undefined ? undefined : { key: before.routingKey, claim: claimOf(kind, before) },
      after?.routingKey === undefined ? undefined : { key: after.routingKey, claim: claimOf(kind, after) },
    );
    for (const { key, owners } of changes) {
      for (const owner of owners) this.#touchOwner(owner);
      for (const group of this.#groupsUsing.get(key)) this.#touchGroup(group);
    }
  }

  #touchOwner(owner: KeyClaim): void {
    const sandbox = owner.kind === "Sandbox" ? this.#sandboxes.get(viewKey(owner)) : undefined;
    const group = owner.kind === "RouteGroup" ? this.#groups.get(viewKey(owner)) : undefined;
    if (sandbox !== undefined) this.#touchSandbox(sandbox);
    if (group !== undefined) this.#touchGroup(group);
  }

  #touchSandbox(sandbox: LiveSandbox): void {
    for (const service of sandbox.routes.keys()) this.touched.services.add(service);
    this.#touchReports(sandbox);
  }

  #touchReports(sandbox: LiveSandbox): void {
    this.touched.sandboxes.add(viewKey(sandbox.view));
    for (const group of sandbox.groups) this.touched.groups.add(viewKey(group.view));
    for (const group of this.#groupsNaming.get(viewKey(sandbox.view))) this.touched.groups.add(viewKey(group.view));
  }

  #touchGroup(group: LiveGroup): void {
    this.touched.groups.add(viewKey(group.view));
    for (const service of servicesOfGroup(this, group)) this.touched.services.add(service);
    for (const member of group.members) this.touched.sandboxes.add(viewKey(member.view));
    for (const { targetSandbox } of group.view.routes) {
      this.touched.sandboxes.add(`${group.view.namespace}/${targetSandbox}`);
    }
  }
}

function link(group: LiveGroup, sandbox: LiveSandbox): void {
  group.members.add(sandbox);
  sandbox.groups.add(group);
}

function unlink(group: LiveGroup, sandbox: LiveSandbox): void {
  group.members.delete(sandbox);
  sandbox.groups.delete(group);
}

function sandboxKeyOf({ namespace, sandbox }: LocalWorkloadView): string {
  return `${namespace}/${sandbox}`;
}
