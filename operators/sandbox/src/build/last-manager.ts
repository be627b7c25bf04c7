import { isRecord, type KubeObject } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";

/**
 * Returns the field manager, other than the given one, that last wrote the selector of a Service; if there is none, the one that last wrote its spec.
 */
export function lastManagerOf({ metadata }: DeepReadonly<KubeObject>, except: string): string | undefined {
  const entries = (metadata.managedFields ?? []).filter(
    ({ manager, subresource, fieldsV1 }) =>
      manager !== except && (subresource ?? "") === "" && isRecord(fieldsV1) && isRecord(fieldsV1["f:spec"]),
  );
  const selecting = entries.filter(({ fieldsV1 }) => {
    const spec = isRecord(fieldsV1) ? fieldsV1["f:spec"] : undefined;
    return isRecord(spec) && spec["f:selector"] !== undefined;
  });
  const [last] = (selecting.length > 0 ? selecting : entries).toSorted((a, b) =>
    (a.time ?? "") < (b.time ?? "") ? 1 : -1,
  );
  return last?.manager;
}
