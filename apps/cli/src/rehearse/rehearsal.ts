// The interface that an operator implements so that changes of its objects can be rehearsed. The rest of this folder does not depend on an operator.

import type { AppModel } from "@homeostat/cluster";
import type { KubeObject, Random, ResourceType } from "@homeostat/core";
import type { Flags, ObjectWatcher, Operator, Outlook, SummaryLine, TimelineEntry } from "@homeostat/operator";

/** Follows a primary object through a change. Pure: it sees changes of objects and reports entries. */
export interface Story {
  follow(watcher: ObjectWatcher): void;
  /** Records a warning of the API server. */
  warned(text: string): void;
  /** Returns the present state in one phrase. */
  describe(): string;
  /** Returns the state of the change. `now` and `deadline` are times of day, for steps that wait for a time of day. */
  outlook(atMs: number, limits: { readonly now: number; readonly deadline: number }): Outlook;
  /** Returns why the change is not finished. */
  reasons(): readonly string[];
  summary(atMs: number): readonly SummaryLine[];
}

/** Options of a rehearsal that do not depend on the operator. */
export interface RehearsalOptions {
  /** Name of the primary object. */
  readonly name: string;
  readonly random: Random;
  /** Values of the operator's flags. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Times that pods take. */
  readonly times: { readonly startMs: number; readonly stopMs: number; readonly drainMs: number };
  /** Faults of the pods that start after the change has begun. */
  readonly faults: { readonly neverReady: readonly string[]; readonly neverDrains: boolean };
  readonly onEntry: (entry: TimelineEntry) => void;
}

/** One rehearsal of an operator. */
export interface Rehearsal {
  readonly operator: Operator;
  readonly operatorNamespace: string;
  /** Simulates the programs in the pods, without sockets. */
  readonly model: AppModel;
  readonly story: Story;
  /** Label selector of the objects that belong to the primary object. */
  readonly selector: string;
  /** Returns placeholders for the objects that a valid primary object refers to and that are not given, with a note about each. */
  placeholders(
    primary: KubeObject,
    given: readonly KubeObject[],
  ): readonly { readonly object: KubeObject; readonly note: string }[];
  /** Returns the node labels that the pods of a valid primary object select. */
  nodeLabels(primary: KubeObject): Readonly<Record<string, string>>;
  /** Begins the rehearsed change. */
  begin(): void;
  /** Returns the faults that matched no container. */
  unusedFaults(): readonly string[];
}

/** An operator whose changes can be rehearsed. */
export interface RehearsalDefinition {
  /** Kind of the primary object. */
  readonly type: ResourceType;
  /** Returns the flags of the operator. */
  readonly flags: () => Flags;
  /** Kinds whose changes are part of the timeline. */
  readonly reported: readonly ResourceType[];
  /** Labels and annotations that are left out of the timeline, such as digests of the whole object. */
  readonly hidden: readonly string[];
  readonly create: (options: RehearsalOptions) => Rehearsal;
}
