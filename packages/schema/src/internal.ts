// Names that only tools and tests of this repository use.
export { type Description, enumValues, shorten } from "./source/description.ts";
export { docComment, key, ownComment, quote, stringArray, union } from "./source/typescript.ts";
