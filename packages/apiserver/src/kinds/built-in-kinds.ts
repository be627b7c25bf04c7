import { resourceRows } from "../resources/generated/resources.ts";
import type { BuiltInKind } from "../resources/resource.ts";
import { traitsOf } from "./traits.ts";

/** Every built-in resource in every version, in the order of discovery: preferred versions first. */
export const builtInKinds: readonly BuiltInKind[] = resourceRows.map((row) => ({ ...row, ...traitsOf(row) }));

const byResource = new Map(builtInKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]));
const byKind = new Map(builtInKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.kind}`, kind]));

/** Returns the built-in kind served at a path, or undefined. */
export function builtInByResource(group: string, version: string, plural: string): BuiltInKind | undefined {
  return byResource.get(`${group}/${version}/${plural}`);
}

/** Returns the built-in kind for the `apiVersion` and `kind` of an object, or undefined. */
export function builtInByKind(group: string, version: string, kind: string): BuiltInKind | undefined {
  return byKind.get(`${group}/${version}/${kind}`);
}
