// Facts that the mesh controllers share: the kinds that the API server serves, the Services that use Istio, and the namespaces in which a mesh
// accepts routes.

import type { Discovery } from "@homeostat/client";
import type { ProbeResult } from "../decide/mesh-probe.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { gatewayGroup, HTTPRoute, istioGroup, VirtualService } from "./mesh-kinds.ts";

/** Time for which the served kinds are cached. CRDs are rarely installed. */
const servedMs = 60_000;

/** Kinds of meshes that the API server serves. */
export interface ServedMeshes {
  readonly gatewayapi: boolean;
  readonly istio: boolean;
}

/** Facts that several controllers of one manager share. */
export class MeshFacts {
  readonly #istioUsers = new Map<string, boolean>();
  readonly #results = new Map<string, ProbeResult>();
  readonly #discover: (signal: AbortSignal) => Promise<Discovery>;
  #served: { readonly meshes: ServedMeshes; readonly at: number } | undefined;
  #hasProbeKind: boolean | undefined;
  #isAnnounced = false;

  constructor(discover: (signal: AbortSignal) => Promise<Discovery>) {
    this.#discover = discover;
  }

  /** Returns the kinds that the API server serves, read at most once per minute. */
  async served(now: number, signal: AbortSignal): Promise<ServedMeshes> {
    if (this.#served !== undefined && now - this.#served.at < servedMs) return this.#served.meshes;
    const meshes = await this.#read(signal);
    this.#served = { meshes, at: now };
    return meshes;
  }

  /**
   * Makes sure that the served kinds were read. Returns true at the first call, after which the mode Auto of Services may change. The result is not
   * cached for {@link served}: the mesh controllers start when their kinds are installed, and must not read an outdated result.
   */
  async readKinds(signal: AbortSignal): Promise<boolean> {
    if (this.#isAnnounced) return false;
    if (this.#hasProbeKind === undefined) await this.#read(signal);
    this.#isAnnounced = true;
    return true;
  }

  async #read(signal: AbortSignal): Promise<ServedMeshes> {
    const { resources } = await this.#discover(signal);
    const has = (group: string, plural: string): boolean =>
      resources.some((resource) => resource.group === group && resource.plural === plural && resource.version === "v1");
    const meshes = { gatewayapi: has(gatewayGroup, HTTPRoute.plural), istio: has(istioGroup, VirtualService.plural) };
    this.#hasProbeKind = meshes.gatewayapi;
    return meshes;
  }

  /**
   * Reports whether a mesh may accept probe routes: the API server serves their kind. Undefined until the served kinds were read.
   */
  mayAcceptRoutes(provider: OperatorConfig["mesh"]["provider"]): boolean | undefined {
    if (provider === "none" || provider === "istio") return false;
    return this.#hasProbeKind;
  }

  /** Records whether a VirtualService of the user routes to a Service. */
  recordIstioUse(service: string, usesIstio: boolean): void {
    this.#istioUsers.set(service, usesIstio);
  }

  /** Returns whether a Service uses Istio; undefined while that is unknown. */
  usesIstio(service: string): boolean | undefined {
    return this.#istioUsers.get(service);
  }

  /** Records the result of the probe of a namespace. Returns true if the mode Auto of its Services may change. */
  recordProbe(namespace: string, result: ProbeResult): boolean {
    const before = this.acceptsRoutes(namespace);
    this.#results.set(namespace, result);
    return this.acceptsRoutes(namespace) !== before;
  }

  /** Reports whether a mesh accepts routes in a namespace; undefined while that is unknown. */
  acceptsRoutes(namespace: string): boolean | undefined {
    const result = this.#results.get(namespace);
    return result === undefined || result === "pending" ? undefined : result === "accepted" || result === "noRegex";
  }

  /** Forgets everything about objects, when this process stops leading. */
  reset(): void {
    this.#istioUsers.clear();
    this.#results.clear();
  }
}
