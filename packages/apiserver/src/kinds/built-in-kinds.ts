import { release, resourceRows } from "./generated/resources.ts";
import type { BuiltInKind } from "./resource.ts";
import { traitsOf } from "./traits.ts";

/** The release of Kubernetes that the built-in kinds are those of: `v1.36.3`. */
export const builtInRelease: string = release;

/** Every built-in resource in every version, in the order of discovery: preferred versions first. */
export const builtInKinds: readonly BuiltInKind[] = resourceRows.map((row) => ({ ...row, ...traitsOf(row) }));

const byResource = new Map(builtInKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]));
const byKind = new Map(builtInKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.kind}`, kind]));

/** The built-in kind behind a path, or undefined. */
export function builtInByResource(group: string, version: string, plural: string): BuiltInKind | undefined {
  return byResource.get(`${group}/${version}/${plural}`);
}

/** The built-in kind that an object says it is of, or undefined. */
export function builtInByKind(group: string, version: string, kind: string): BuiltInKind | undefined {
  return byKind.get(`${group}/${version}/${kind}`);
}
