// Kinds
export { builtInByKind, builtInByResource, builtInKinds, builtInRelease } from "./kinds/built-in-kinds.ts";
export type { BuiltInKind, KindRef, KindTraits, ResourceRow, SubresourceRow } from "./kinds/resource.ts";
export { definitionName, definitionSchema, kindSchema, type KindSchema } from "./kinds/schemas.ts";

// Discovery
export { aggregatedDiscovery, type GroupDiscoveryList, type ResourceDiscovery } from "./discovery/aggregated.ts";
export type { CustomSchema } from "./discovery/custom-document.ts";
export {
  type GroupVersionName,
  legacyGroup,
  legacyGroupList,
  type LegacyResource,
  legacyResourceList,
  legacyVersions,
  storageVersionHash,
} from "./discovery/legacy.ts";
export { aggregatedType, type DiscoveryForm, discoveryForm, documentHash } from "./discovery/negotiate.ts";
export { OpenApi, type OpenApiAnswer } from "./discovery/openapi.ts";
export {
  type CustomDefinition,
  groupsOf,
  resourcesOfDefinition,
  type ServedGroup,
  type ServedResource,
  type ServedVersion,
} from "./discovery/served.ts";
export { compareVersions } from "./discovery/version-order.ts";
