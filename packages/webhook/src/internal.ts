// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// Manifests
export { readCaBundle } from "./manifests/ca-bundle.ts";
