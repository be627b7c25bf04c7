import { isList, isRecord } from "@homeostat/core";
import type { MergeType } from "../../apply/merge-type.ts";

/**
 * Returns the paths of atomic lists, maps and structs in an apply configuration: `.spec.selector`.
 *
 * Merging an atomic value would remove everything that the configuration does not mention, so the real server refuses
 * it.
 */
export function atomicPaths(type: MergeType, value: unknown, path: string = ""): string[] {
  if (isRecord(value) && type.map !== undefined) {
    const { map } = type;
    const own = map.isAtomic ? [path] : [];
    const parts = Object.keys(value)
      .filter((name) => map.isDeclared(name))
      .flatMap((name) => {
        const field = map.field(name);
        return field === undefined ? [] : atomicPaths(field, value[name], `${path}.${name}`);
      });
    return [...own, ...parts];
  }
  if (isList(value) && type.list !== undefined) {
    const { list } = type;
    const own = list.isAssociative ? [] : [path];
    return [...own, ...value.flatMap((each, index) => atomicPaths(list.element(), each, `${path}[${index}]`))];
  }
  return [];
}
