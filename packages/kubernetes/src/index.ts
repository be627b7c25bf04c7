// Types only; import descriptors and schemas from their modules: `@homeostat/kubernetes/batch/v1`.
export type { BuiltInResource } from "./built-in-resource.ts";
export type { EmbeddedOf, EmbeddedSchema, EmbeddedType } from "./embedded-type.ts";
export type { Nested } from "./nested.ts";
export { kubernetesRelease } from "./generated/release.ts";
