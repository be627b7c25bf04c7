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

/** The objects of a kind that an informer selects. */
export interface SelectionOptions {
  /** A single namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Label selector, parsed or as text: `"app=web,tier!=test"`. */
  readonly labels?: LabelSelector | string | undefined;
  /**
   * Field selector, parsed or as text: `"status.phase=Running"`. Which fields are supported depends on the kind and
   * the server.
   */
  readonly fields?: FieldSelector | string | undefined;
}

const problem = "matches nothing and cannot be sent to the server; do not create the informer.";

/** The objects that an informer selects: kind, namespace, label selector and field selector. */
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
    // A selector that matches nothing has an empty text, which the server would read as "everything".
    if (this.labels.isNothing) throw new ArgumentError({ argument: "labels", problem });
    if (this.fields.isNothing) throw new ArgumentError({ argument: "fields", problem });
  }

  /** Returns the selection as text for logs and errors: `deployments.apps in default with app=web`. */
  toString(): string {
    const parts = [
      formatGroupResource(this.type),
      this.namespace === undefined ? "" : `in ${this.namespace}`,
      this.labels.isEverything ? "" : `with ${this.labels.toString()}`,
      this.fields.isEverything ? "" : `where ${this.fields.toString()}`,
    ];
    return parts.filter((part) => part !== "").join(" ");
  }

  /** True if there is no label or field selector. */
  get selectsAll(): boolean {
    return this.labels.isEverything && this.fields.isEverything;
  }

  /** Returns the selection in the form of a request. */
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
   * Reports whether an object matches the selection; undefined if only the server can decide.
   *
   * The server defines the field names of a selector and their values for absent fields. So if an object seems not to
   * match by a field other than its name or namespace, that is not certain. If it seems to match and does not, the
   * watch will not deliver it, and the ledger notices that.
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

/** Returns the value at a path as field selectors compare it: empty if absent. */
function textAt(object: unknown, path: string): string {
  let value = object;
  for (const part of path.split(".")) value = isRecord(value) ? ownValue(value, part) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
