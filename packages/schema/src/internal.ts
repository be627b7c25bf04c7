// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// Source text of TypeScript
export { enumValues, shorten } from "./source/description.ts";
export { docComment, key, ownComment, quote, stringArray, union } from "./source/typescript.ts";
