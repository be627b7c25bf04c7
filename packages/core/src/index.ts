// Errors
export { HomeostatError } from "./errors/error.ts";
export { ParseError, type ParseFailure } from "./errors/parse-error.ts";

// Objects and kinds
export type { DeepReadonly, KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./objects/object.ts";
export type { GroupVersionKind, GroupVersionResource, ObjectOf, ResourceType, Scope } from "./objects/kind.ts";
