export { chronikModel } from "./chronik.ts";
export { type ComponentContainer, type LocalComponentOptions, localComponents, type LocalComponents } from "./local.ts";
export { type Misbehavior, misbehaviors } from "./misbehavior.ts";
