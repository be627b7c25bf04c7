import { FieldSet } from "./field-set.ts";
import { readManagers, writeManagers } from "./managed-fields.ts";
import type { ManagerEntry, Managers } from "./managers.ts";
import { fieldElement, type Path } from "./path-element.ts";

/**
 * Path of the replica count in each version of a kind, by `apiVersion`.
 *
 * The value is `undefined` for versions without a scale subresource; versions that no longer exist have no entry.
 */
export type ScalePaths = ReadonlyMap<string, readonly string[] | undefined>;

const scaleApiVersion = "autoscaling/v1";
const replicas: Path = [fieldElement("spec"), fieldElement("replicas")];

/** Translation between the managers of an object and those of its scale. */
export interface ScaleManagers {
  /** Returns the `managedFields` of the scale: the managers that own the replica count. */
  toScale(): unknown[];
  /** Returns the `managedFields` of the object after those of its scale changed. */
  toObject(scaleManagedFields: unknown): unknown[];
}

/** Translates ownership between an object in a version and its scale. Unreadable `managedFields` count as empty. */
export function scaleManagers(managedFields: unknown, apiVersion: string, paths: ScalePaths): ScaleManagers {
  const managers = managersIn(managedFields);
  return {
    toScale: () => writeManagers(toScale(managers, paths)),
    toObject: (changed) => writeManagers(toObject(managers, managersIn(changed), apiVersion, paths)),
  };
}

function managersIn(managedFields: unknown): Managers {
  return readManagers(managedFields).managers ?? new Map();
}

function toScale(managers: Managers, paths: ScalePaths): Managers {
  const scaling = new Map<string, ManagerEntry>();
  for (const [identity, manager] of managers) {
    const path = pathIn(paths, manager.apiVersion);
    if (path === undefined || !manager.set.has(path)) continue;
    scaling.set(identity, { ...manager, apiVersion: scaleApiVersion, set: FieldSet.of([replicas]) });
  }
  return scaling;
}

function toObject(managers: Managers, scaling: Managers, apiVersion: string, paths: ScalePaths): Managers {
  const result = new Map<string, ManagerEntry>();
  const added = new Map(scaling);
  for (const [identity, manager] of managers) {
    if (!paths.has(manager.apiVersion)) continue;
    const path = pathIn(paths, manager.apiVersion);
    if (path === undefined || !manager.set.has(path) || added.delete(identity)) {
      result.set(identity, manager);
      continue;
    }
    const set = manager.set.difference(FieldSet.of([path]));
    if (!set.isEmpty) result.set(identity, { ...manager, set });
  }
  const here = pathIn(paths, apiVersion);
  for (const [identity, manager] of added) {
    if (here === undefined || !manager.set.has(replicas)) continue;
    // The time of a new entry is not carried over; the real server loses it too.
    result.set(identity, { ...manager, apiVersion, set: FieldSet.of([here]), time: managers.get(identity)?.time });
  }
  return result;
}

function pathIn(paths: ScalePaths, apiVersion: string): Path | undefined {
  return paths.get(apiVersion)?.map(fieldElement);
}
