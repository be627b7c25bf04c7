// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// Scanning of JSON bytes
export { LineSplitter } from "./scan/line-splitter.ts";
