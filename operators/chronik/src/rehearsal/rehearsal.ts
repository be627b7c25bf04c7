// The rehearsal of a change of a ChronikCluster: the operator, its simulated components, and the entries of the timeline.

import type { KubeObject, Random } from "@homeostat/core";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { Operator, TimelineEntry } from "@homeostat/operator";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { labels } from "../api/labels.ts";
import { type ComponentContainer, localComponents, type LocalComponents } from "../app-model/local.ts";
import { componentsOf, resolveCluster } from "../build/resolve.ts";
import { childTypes } from "../observe/kinds.ts";
import { chronikOperator } from "../operator.ts";
import { chronikFlags, type ResolveSettings } from "../settings/settings.ts";
import { type PlaceholderObject, placeholderObjects } from "./prerequisites.ts";
import { ChronikStory } from "./story.ts";

/** Namespace of the operator in a rehearsal. */
const operatorNamespace = "chronik-operator-system";

/** Options of one rehearsal. */
export interface ChronikRehearsalOptions {
  /** Name of the cluster. */
  readonly name: string;
  readonly random: Random;
  /** Values of the operator's flags. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Times that pods take. */
  readonly times: { readonly startMs: number; readonly stopMs: number; readonly drainMs: number };
  /** Faults of the pods that start after the rehearsed change has begun. */
  readonly faults: {
    /** Components or images whose containers never become ready. */
    readonly neverReady: readonly string[];
    readonly neverDrains: boolean;
  };
  readonly onEntry: (entry: TimelineEntry) => void;
}

/** One rehearsal. */
export interface ChronikRehearsal {
  readonly operator: Operator;
  readonly operatorNamespace: string;
  readonly model: LocalComponents["model"];
  readonly story: ChronikStory;
  /** Label selector of the objects that belong to the cluster. */
  readonly selector: string;
  /** Returns placeholders for the objects that a valid cluster refers to and that are not given, with a note about each. */
  placeholders(cluster: KubeObject, given: readonly KubeObject[]): readonly PlaceholderObject[];
  /** Returns the node labels that the pods of a valid cluster select. */
  nodeLabels(cluster: KubeObject): Readonly<Record<string, string>>;
  /** Begins the rehearsed change: from now on, pods have faults. */
  begin(): void;
  /** Returns the faults that matched no container. */
  unusedFaults(): readonly string[];
}

/** Rehearsals of changes of ChronikClusters. */
export const chronikRehearsal = {
  type: ChronikCluster,
  /** The flags of the operator. */
  flags: (): Operator["flags"] => chronikOperator({ operatorNamespace }).flags,
  /** Kinds whose changes are part of the timeline. Slots change with every search pod, which has entries of its own. */
  reported: childTypes.filter(({ kind }) => kind !== EndpointSlice.kind),
  /** Labels and annotations that are omitted from the timeline, because they only repeat other changes. */
  hidden: [annotations.templateHash, labels.version],
  create: createRehearsal,
} as const;

function createRehearsal({
  name,
  random,
  settings,
  times,
  faults,
  onEntry,
}: ChronikRehearsalOptions): ChronikRehearsal {
  let hasBegun = false;
  const unused = new Set(faults.neverReady);
  const isNeverReady = ({ component, image }: ComponentContainer): boolean => {
    const matching = hasBegun ? faults.neverReady.filter((text) => isNamed(text, { component, image })) : [];
    for (const text of matching) unused.delete(text);
    return matching.length > 0;
  };
  const components = localComponents({
    ...times,
    isNeverReady,
    neverDrains: () => hasBegun && faults.neverDrains,
  });
  const operator = chronikOperator({ operatorNamespace, random, sendToPod: components.send });
  const resolveSettings = resolveSettingsOf(settings);
  const story = new ChronikStory({ name, onEntry });
  return {
    operator,
    operatorNamespace,
    model: components.model,
    story,
    selector: `${labels.cluster}=${name}`,
    placeholders: (cluster, given) => {
      const parsed = ChronikCluster.parse(cluster);
      const made = placeholderObjects(parsed, given, resolveSettings);
      // The certificate of a placeholder Secret cannot be parsed.
      const { tlsSecret } = parsed.spec.security;
      if (made.some(({ object: { kind, metadata } }) => kind === "Secret" && metadata.name === tlsSecret))
        story.ignore("CertificateValid");
      return made;
    },
    nodeLabels: (cluster) => {
      const resolved = resolveCluster(ChronikCluster.parse(cluster), resolveSettings);
      const selectors = componentsOf(resolved).map((component) => resolved.components[component].nodeSelector);
      return Object.fromEntries(selectors.flatMap((selector) => Object.entries(selector)));
    },
    begin: () => {
      hasBegun = true;
      if (faults.neverDrains) components.stopDrains();
      story.begin();
    },
    unusedFaults: () => [...unused],
  };
}

/** Reports whether a text is the component of a container, or its image with or without tag and digest. */
function isNamed(text: string, { component, image }: ComponentContainer): boolean {
  return text === component || text === image || text === image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
}

function resolveSettingsOf(settings: ChronikRehearsalOptions["settings"]): ResolveSettings {
  const text = (name: Exclude<keyof ResolveSettings, "operatorNamespace">): string => {
    const given = settings[name];
    return typeof given === "string" ? given : chronikFlags[name].default;
  };
  return {
    operatorNamespace,
    clusterDomain: text("clusterDomain"),
    defaultControllerImage: text("defaultControllerImage"),
    defaultIngestImage: text("defaultIngestImage"),
    defaultSearchImage: text("defaultSearchImage"),
  };
}
