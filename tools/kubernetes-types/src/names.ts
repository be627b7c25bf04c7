/** Location of a definition in the package: module `batch/v1` and name `Job`. */
export interface Place {
  readonly module: string;
  readonly name: string;
}

/** Types of apimachinery that have no API version; they are placed in `meta/v1`. */
const unversioned: ReadonlyMap<string, Place> = new Map([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { module: "meta/v1", name: "Quantity" }],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", { module: "meta/v1", name: "RawExtension" }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { module: "meta/v1", name: "IntOrString" }],
  ["io.k8s.apimachinery.pkg.version.Info", { module: "meta/v1", name: "VersionInfo" }],
]);

/** Returns the location of a definition: the last three parts of its name are group, version and type. */
export function locationOf(definition: string): Place {
  const special = unversioned.get(definition);
  if (special !== undefined) return special;
  const [group, version, name] = definition.split(".").slice(-3);
  if (group === undefined || name === undefined || version === undefined || !/^v\d/.test(version)) {
    throw new Error(`${definition} does not end in group, version and type`);
  }
  return { module: `${group}/${version}`, name };
}

/** Returns the import alias of a module: `coreV1` for `core/v1`. */
export function aliasOf(module: string): string {
  return module.replace(/\/v/, "V");
}

/** Returns the name of a type's schema: `podSpec` for `PodSpec`, `nfsVolumeSource` for `NFSVolumeSource`. */
export function schemaNameOf(type: string): string {
  const initials = /^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+(?=\d|$)|^[A-Z]/.exec(type)?.[0] ?? "";
  return initials.toLowerCase() + type.slice(initials.length);
}

/** Returns the `apiVersion` of a group and version. */
export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}
