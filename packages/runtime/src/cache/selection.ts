import {
  ArgumentError,
  FieldSelector,
  formatGroupResource,
  isRecord,
  type KubeObject,
  LabelSelector,
  ownValue,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceType,
} from "@homeostat/core";
import type { SourceSelection } from "./source.ts";

/** Which objects of a kind. */
export interface SelectionOptions {
  /** Only those of one namespace. Default: all. */
  readonly namespace?: string | undefined;
  /** Only those whose labels match: `"app=web,tier!=test"`. */
  readonly labels?: LabelSelector | string | undefined;
  /** Only those whose fields match: `"status.phase=Running"`. Which fields there are is for the server to say. */
  readonly fields?: FieldSelector | string | undefined;
}

const problem = "matches nothing, which a server cannot be asked for. Do without the informer.";

/** The objects that an informer is about. */
export class Selection {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;

  constructor(type: ResourceType, { namespace, labels, fields }: SelectionOptions) {
    this.type = type;
    this.namespace = namespace === "" ? undefined : namespace;
    this.labels = typeof labels === "string" ? parseLabelSelector(labels) : (labels ?? LabelSelector.everything);
    this.fields = typeof fields === "string" ? parseFieldSelector(fields) : (fields ?? FieldSelector.everything);
    // The text of a selector that matches nothing is empty, and for a server the empty text means everything.
    if (this.labels.isNothing) throw new ArgumentError({ argument: "labels", problem });
    if (this.fields.isNothing) throw new ArgumentError({ argument: "fields", problem });
  }

  /** What it is, for people: `deployments.apps in default with app=web`. */
  toString(): string {
    const parts = [
      formatGroupResource(this.type),
      this.namespace === undefined ? "" : `in ${this.namespace}`,
      this.labels.isEverything ? "" : `with ${this.labels.toString()}`,
      this.fields.isEverything ? "" : `where ${this.fields.toString()}`,
    ];
    return parts.filter((part) => part !== "").join(" ");
  }

  /** Whether it has every object of its namespaces. */
  get selectsAll(): boolean {
    return this.labels.isEverything && this.fields.isEverything;
  }

  /** What to ask a source for. */
  request(isMetadataOnly: boolean): SourceSelection {
    return {
      type: this.type,
      namespace: this.namespace,
      labelSelector: this.labels.isEverything ? undefined : this.labels.toString(),
      fieldSelector: this.fields.isEverything ? undefined : this.fields.toString(),
      isMetadataOnly,
    };
  }

  /**
   * Whether an object belongs to it; undefined when only the server can say.
   *
   * What a field is called, and what it is when absent, is the server's: where the object seems not to match by a field
   * other than its names, that may be why. Where it seems to match and does not, the watch will lack it, which is noticed.
   */
  has(object: KubeObject): boolean | undefined {
    const { metadata } = object;
    if (this.namespace !== undefined && metadata.namespace !== this.namespace) return false;
    if (!this.labels.matches(metadata.labels)) return false;
    let isCertain = true;
    for (const { field, operator, value } of this.fields.requirements) {
      const matches = (textAt(object, field) === value) === (operator === "=");
      if (!matches && certainFields.has(field)) return false;
      isCertain &&= matches;
    }
    return isCertain ? true : undefined;
  }
}

const certainFields: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"]);

/** The value at a path, as field selectors see it: empty when there is none. */
function textAt(object: unknown, path: string): string {
  let value = object;
  for (const part of path.split(".")) value = isRecord(value) ? ownValue(value, part) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
