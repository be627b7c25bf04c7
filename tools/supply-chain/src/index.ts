// Names that other tools and end-to-end suites need.

export { type PackedPackage, packPackages } from "./pack/pack-packages.ts";
export { type Registry, type RegistryOptions, startRegistry } from "./registry/registry.ts";
export { type TarEntry, tarEntries } from "./registry/registry.ts";
