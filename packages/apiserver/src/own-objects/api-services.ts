// APIService objects of the groups and versions that this server serves itself: its built-in groups, and one for each version of a
// CustomResourceDefinition. Users create those of aggregated servers.

import { isRecord, type JsonRecord, type Random, type Clock } from "@homeostat/core";
import { localCondition } from "../kinds/apiregistration/apiservice/local-condition.ts";
import { keyPrefix } from "../resources/keys.ts";
import { lostKey, type Store } from "../storage/store.ts";
import { listAt, textAt, valueAt } from "../values/fields.ts";
import { ownedKeys, type StoreTools, storeOwn } from "./store-own.ts";

const group = "apiregistration.k8s.io";
const plural = "apiservices";
const prefix = keyPrefix(group, plural);
const definitionPrefix = keyPrefix("apiextensions.k8s.io", "customresourcedefinitions");
const managedBy = "kube-aggregator.kubernetes.io/automanaged";

/** Built-in group versions with their `groupPriorityMinimum` and `versionPriority`, as in `apiVersionPriorities` of kube-apiserver. */
const ownVersions: readonly (readonly [
  group: string,
  version: string,
  groupPriority: number,
  versionPriority: number,
])[] = [
  ["", "v1", 18_000, 1],
  ["admissionregistration.k8s.io", "v1", 16_700, 15],
  ["apiextensions.k8s.io", "v1", 16_700, 15],
  ["apps", "v1", 17_800, 15],
  ["authentication.k8s.io", "v1", 17_700, 15],
  ["authorization.k8s.io", "v1", 17_600, 15],
  ["autoscaling", "v1", 17_500, 15],
  ["autoscaling", "v2", 17_500, 30],
  ["batch", "v1", 17_400, 15],
  ["certificates.k8s.io", "v1", 17_300, 15],
  ["coordination.k8s.io", "v1", 16_500, 15],
  ["discovery.k8s.io", "v1", 16_200, 15],
  ["events.k8s.io", "v1", 17_750, 15],
  ["flowcontrol.apiserver.k8s.io", "v1", 16_100, 21],
  ["networking.k8s.io", "v1", 17_200, 15],
  ["node.k8s.io", "v1", 16_300, 15],
  ["policy", "v1", 17_100, 15],
  ["rbac.authorization.k8s.io", "v1", 17_000, 15],
  ["resource.k8s.io", "v1", 16_200, 21],
  ["scheduling.k8s.io", "v1", 16_600, 15],
  ["storage.k8s.io", "v1", 16_800, 15],
];

/** Stores the APIServices of the built-in groups. */
export function storeApiServices(tools: StoreTools): void {
  for (const [name, version, groupPriority, versionPriority] of ownVersions) {
    storeVersion({ name, version, groupPriority, versionPriority, since: "onstart" }, tools);
  }
}

interface ApiVersion {
  /** Name of the group. */
  readonly name: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly since: "onstart" | "true";
}

function storeVersion({ name, version, groupPriority, versionPriority, since }: ApiVersion, tools: StoreTools): void {
  const labels = { [managedBy]: since };
  storeOwn(
    {
      group,
      version: "v1",
      kind: "APIService",
      plural,
      name: `${version}.${name}`,
      labels,
      content: {
        spec: {
          ...(name === "" ? {} : { group: name }),
          version,
          groupPriorityMinimum: groupPriority,
          versionPriority,
        },
        status: { conditions: [localCondition(tools.nowMs)] },
      },
      managers: [
        {
          manager: "kube-apiserver",
          operation: "Update",
          fields: {
            "f:metadata": { "f:labels": ownedKeys(labels) },
            "f:spec": {
              ...(name === "" ? {} : { "f:group": {} }),
              "f:groupPriorityMinimum": {},
              "f:version": {},
              "f:versionPriority": {},
            },
          },
        },
      ],
    },
    tools,
  );
}

/** Dependencies of {@link followApiServices}. */
export interface ApiServiceTools {
  readonly store: Store<JsonRecord>;
  readonly random: Random;
  readonly clock: Pick<Clock, "now">;
}

/** Keeps one APIService for each served group version of custom resources, until it is disposed. */
export function followApiServices({ store, random, clock }: ApiServiceTools): Disposable {
  let seenRevision = store.visibleRevision;
  const sync = (): void => {
    const desired = servedVersions(store);
    for (const entry of store.view().entries({ prefix })) {
      const object = store.read(entry);
      if (textAt(object, "metadata", "labels", managedBy) !== "true") continue;
      if (!desired.delete(textAt(object, "metadata", "name"))) store.delete(entry.key);
    }
    for (const [full, { name, version }] of desired) {
      if (store.get(prefix + full) !== undefined) continue;
      const priorities = { groupPriority: 1000, versionPriority: 100, since: "true" } as const;
      storeVersion({ name, version, ...priorities }, { store, random, nowMs: clock.now() });
    }
  };
  const unsubscribe = store.subscribe((visible) => {
    let isChanged = false;
    for (; seenRevision < visible; seenRevision += 1) {
      const key = store.change(seenRevision + 1)?.key;
      // A write that was rolled back may have been that of a definition or of an APIService.
      if (key?.startsWith(definitionPrefix) === true || key === lostKey) isChanged = true;
    }
    if (isChanged) sync();
  });
  return { [Symbol.dispose]: unsubscribe };
}

/** Returns the served group versions of all CustomResourceDefinitions, by `version.group`. */
function servedVersions(store: Store<JsonRecord>): Map<string, { readonly name: string; readonly version: string }> {
  const served = new Map<string, { readonly name: string; readonly version: string }>();
  for (const entry of store.view().entries({ prefix: definitionPrefix })) {
    const definition = store.read(entry);
    const name = textAt(definition, "spec", "group");
    for (const each of listAt(definition, "spec", "versions")) {
      if (!isRecord(each) || valueAt(each, "served") !== true) continue;
      const version = textAt(each, "name");
      served.set(`${version}.${name}`, { name, version });
    }
  }
  return served;
}
