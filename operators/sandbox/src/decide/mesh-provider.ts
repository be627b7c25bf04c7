// Decides which kind of mesh routes the requests of a Service.

/** Kinds of meshes that routes are rendered for. */
export const meshProviders = ["gatewayapi", "istio"] as const;

export type MeshProvider = (typeof meshProviders)[number];

/** Input of {@link decideProvider}. */
export interface ProviderInput {
  readonly interception: string;
  /** `mesh.provider` of the configuration. */
  readonly setting: MeshProvider | "auto" | "none";
  /** True if the API server serves the kinds of the Gateway API, and of Istio. */
  readonly served: { readonly gatewayapi: boolean; readonly istio: boolean };
  /** True if a VirtualService of the user routes to the Service; undefined while that is unknown. */
  readonly usesIstio: boolean | undefined;
}

/**
 * Decides which renderer writes the routes of a Service; `unknown` until the VirtualServices of the namespace have been read. The setting auto
 * prefers the API that the Service already uses, then the Gateway API. Routes of both APIs for one Service would contradict each other.
 */
export function decideProvider({
  interception,
  setting,
  served,
  usesIstio,
}: ProviderInput): MeshProvider | "none" | "unknown" {
  if (interception !== "Mesh" || setting === "none") return "none";
  if (setting !== "auto") return served[setting] ? setting : "none";
  if (!served.istio) return served.gatewayapi ? "gatewayapi" : "none";
  if (!served.gatewayapi) return "istio";
  if (usesIstio === undefined) return "unknown";
  return usesIstio ? "istio" : "gatewayapi";
}
