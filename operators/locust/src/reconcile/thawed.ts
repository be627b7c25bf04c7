import { deepClone, type DeepReadonly } from "@homeostat/core";

/** A copy of something that was read, which may be changed. */
export function thawed<T>(value: DeepReadonly<T>): T;
export function thawed(value: unknown): unknown {
  return deepClone(value);
}
