import { isList, isRecord } from "@homeostat/core";
import type { MergeType } from "../../apply/merge-type.ts";

/**
 * Where a configuration has lists, maps or structs that are one value: `.spec.selector`.
 *
 * To lay one over an object would take away all that it does not say, which is seldom what its writer wants.
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
