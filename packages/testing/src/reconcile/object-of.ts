import {
  type Clock,
  type DeepReadonly,
  formatApiVersion,
  isRecord,
  type KubeObject,
  type Stored,
  systemClock,
  type WritableResourceType,
} from "@homeostat/core";
import { checkedTypeOf } from "../memory/kind-table.ts";
import { isObject, withServerMetadata } from "../memory/stored-object.ts";

/** The fields of an object that a test sets. Kind and API version are added. */
export type ObjectFields<In> = Omit<In, "apiVersion" | "kind">;

/**
 * Returns an object as the API server would return it: with API version and kind, UID, resource version, and the defaults of a kind with a
 * schema. The UID follows from kind, namespace and name, so it is the same in every test.
 *
 * @example
 * const site = objectOf(Site, { metadata: { namespace: "default", name: "shop" }, spec: { replicas: 2 } });
 */
export function objectOf<T extends KubeObject, In extends KubeObject = T>(
  type: WritableResourceType<T, In>,
  fields: NoInfer<DeepReadonly<ObjectFields<In>> | ObjectFields<In>>,
  options?: { readonly clock?: Clock },
): Stored<T>;
export function objectOf(
  type: WritableResourceType,
  fields: unknown,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): DeepReadonly<KubeObject> {
  const copy: unknown = structuredClone(fields);
  const whole: KubeObject = {
    metadata: {},
    ...(isRecord(copy) ? copy : {}),
    apiVersion: formatApiVersion(type),
    kind: type.kind,
  };
  const defaulted: unknown = checkedTypeOf(type)?.default(whole) ?? whole;
  return withServerMetadata(isObject(defaulted) ? defaulted : whole, clock.now());
}
