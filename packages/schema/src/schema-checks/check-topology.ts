// Checks list types and map types, which determine how server-side apply merges lists and maps.

import { forbidden, invalid, notSupported, required, type Problem } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";

/** Checks `x-kubernetes-map-type` of a node. */
export function checkMapType({ mapType, type }: SchemaNode, path: string): Problem[] {
  if (mapType === undefined) return [];
  const problems: Problem[] = [];
  if (type !== "object") problems.push(wrongType(path, type, "must be object if x-kubernetes-map-type is specified"));
  if (mapType !== "atomic" && mapType !== "granular") {
    problems.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  return problems;
}

/** Checks `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` of a node, and what they require of its items. */
export function checkListType(node: SchemaNode, path: string): Problem[] {
  const { listType, listMapKeys, type } = node;
  const problems: Problem[] = [];
  if (listType !== undefined && type !== "array") {
    problems.push(wrongType(path, type, "must be array if x-kubernetes-list-type is specified"));
  } else if (listType === "set") problems.push(...checkSetItems(node, path));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    problems.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  if (listMapKeys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = `${path}.x-kubernetes-list-type`;
    problems.push(listType === undefined ? required(at, detail) : invalid(at, { value: listType }, detail));
  }
  if (listType === "map") problems.push(...checkMapItems(node, path));
  if (listType === "map" || listType === "set") problems.push(...checkNulls(node, listType, path));
  if (listType === "map") problems.push(...checkKeysPresent(node, path));
  return problems;
}

/** Checks that the items of a set are atomic: they are compared as a whole, so they must be merged as a whole too. */
function checkSetItems({ items }: SchemaNode, path: string): Problem[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items?.type === "array" && items.listType !== undefined && items.listType !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, { value: items.listType }, detail)];
  }
  if (items?.type === "object" && items.mapType !== "atomic") {
    // The API server prints the list type here although the path is the map type; an object has none, so it prints null.
    return [invalid(`${path}.items.x-kubernetes-map-type`, { value: items.listType ?? null }, detail)];
  }
  return [];
}

function checkMapItems({ items, itemsList, listMapKeys }: SchemaNode, path: string): Problem[] {
  const problems: Problem[] = [];
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (listMapKeys.length === 0) {
    problems.push(required(keysPath, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items === undefined) {
    const single = "must only have a single schema if x-kubernetes-list-type is map";
    const none = "must have a schema if x-kubernetes-list-type is map";
    problems.push(
      itemsList.length > 0 ? invalid(`${path}.items`, { value: "array" }, single) : required(`${path}.items`, none),
    );
    return problems;
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...problems, invalid(`${path}.items.type`, { value: items.type }, detail)];
  }
  listMapKeys.forEach((key, index) => {
    const property = items.properties.get(key);
    if (property === undefined) {
      problems.push(invalid(keysPath, { value: listMapKeys }, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      problems.push(invalid(`${path}.items.properties[${key}].type`, { value: items.type }, detail));
    }
    if (listMapKeys.indexOf(key) < index) {
      problems.push(invalid(keysPath, { value: listMapKeys }, "must not contain duplicate entries"));
    }
  });
  return problems;
}

function checkNulls({ items }: SchemaNode, listType: string, path: string): Problem[] {
  if (items?.nullable !== true) return [];
  return [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)];
}

/** Checks that each key is required or has a default, because items are identified by their keys. */
function checkKeysPresent({ items, listMapKeys }: SchemaNode, path: string): Problem[] {
  const problems: Problem[] = [];
  for (const key of listMapKeys) {
    const property = items?.properties.get(key);
    if (items === undefined || property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    const because = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required.includes(key) && property.default === undefined) {
      problems.push(required(`${at}.default`, `${because} must have a default or be a required property`));
    }
    if (property.nullable) problems.push(forbidden(`${at}.nullable`, `${because} cannot be nullable`));
  }
  return problems;
}

/** Returns the problem of a node whose type is missing or is not the one that another keyword requires. */
function wrongType(path: string, type: string, detail: string): Problem {
  return type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, { value: type }, detail);
}
