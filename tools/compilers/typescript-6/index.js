// The compiler's API. TypeScript 7, which builds this repository, has no JavaScript API.
export { default } from "typescript";
