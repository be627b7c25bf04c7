export { chronikModel } from "./chronik.ts";
export { type Misbehavior, misbehaviors } from "./misbehavior.ts";
