// CRDs of meshes, and a mesh that judges routes.

import type { Client } from "@homeostat/client";
import { NotFoundError, type ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { GRPCRoute, HTTPRoute, type HttpRouteObject, VirtualService } from "../observe/mesh-kinds.ts";

/** Creates the CRDs of the Gateway API. Their schemas accept everything; e2e suites use the published ones. */
export async function installGatewayApi(client: Client): Promise<void> {
  for (const type of [HTTPRoute, GRPCRoute]) await client.create(CustomResourceDefinition, crdOf(type));
}

/** Creates the CRD of VirtualServices. */
export async function installIstio(client: Client): Promise<void> {
  await client.create(CustomResourceDefinition, crdOf(VirtualService));
}

function crdOf({ group, version, kind, plural }: ResourceType): CustomResourceDefinition {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/3328" },
    },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
        },
      ],
    },
  };
}

/** The judgement of a mesh about a route; undefined if it leaves the route alone. */
export type Judgement =
  | { readonly accepted: boolean; readonly reason?: string; readonly message?: string; readonly isStale?: boolean }
  | undefined;

/** A mesh that writes the status of routes. `judge` returns undefined for routes that it leaves alone. */
export class FakeMesh {
  readonly #client: Client;
  judge: (route: HttpRouteObject) => Judgement = () => ({ accepted: true });

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns all routes; none while the CRDs are not installed. */
  async #routes(): Promise<readonly HttpRouteObject[]> {
    try {
      return (await this.#client.list(HTTPRoute)).items;
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      throw error;
    }
  }

  /** Judges all routes whose generation it has not judged yet. */
  async step(): Promise<void> {
    for (const route of await this.#routes()) {
      const { metadata, spec, status } = route;
      const judgement = this.judge(route);
      if (judgement === undefined) continue;
      const { accepted, reason = "Accepted", message = "", isStale = false } = judgement;
      const observedGeneration = (metadata.generation ?? 0) - (isStale ? 1 : 0);
      const condition = { observedGeneration, lastTransitionTime: "2025-01-01T00:00:00Z", message };
      const conditions = [
        { ...condition, type: "Accepted", status: accepted ? "True" : "False", reason },
        { ...condition, type: "ResolvedRefs", status: "True", reason: "ResolvedRefs" },
      ];
      const parents = (spec?.parentRefs ?? []).map((parentRef) => ({
        parentRef,
        controllerName: "example.com/mesh",
        conditions,
      }));
      if (JSON.stringify(status?.parents) === JSON.stringify(parents)) continue;
      const key = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
      try {
        await this.#client.patch(HTTPRoute, key, { merge: { status: { parents } } }, { subresource: "status" });
      } catch (error) {
        // The operator deleted the route after it was listed.
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
  }
}

/** Reports whether a route contains regular expressions. */
export function hasRegex({ spec }: HttpRouteObject): boolean {
  return JSON.stringify(spec).includes("RegularExpression");
}
