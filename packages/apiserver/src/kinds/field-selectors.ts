import { quote } from "@homeostat/cel";
import type { FieldSelector, JsonRecord } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../tables/read.ts";
import type { BuiltInKind } from "./resource.ts";

/** Reads the value that a selector compares. */
type FieldReader = (object: JsonRecord) => string;

interface Selectable {
  readonly fields: ReadonlyMap<string, FieldReader>;
  /** What is said of any other field. */
  readonly refusal: (field: string) => string;
}

/** The text at a path, numbers and truth values as Go prints them; `zero` where there is nothing. */
function at(path: string, zero: string = ""): [string, FieldReader] {
  const steps = path.split(".");
  return [path, (object) => shown(valueAt(object, ...steps)) || zero];
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

const name = at("metadata.name");
const namespace = at("metadata.namespace");
const notSupported = (field: string): string => `field label not supported: ${field}`;

function selectable(...fields: readonly [string, FieldReader][]): Selectable {
  return { fields: new Map(fields), refusal: notSupported };
}

const eventSource: [string, FieldReader] = [
  "source",
  (event) => textAt(event, "source", "component") || textAt(event, "reportingComponent"),
];

const event = selectable(
  at("involvedObject.kind"),
  at("involvedObject.namespace"),
  at("involvedObject.name"),
  at("involvedObject.uid"),
  at("involvedObject.apiVersion"),
  at("involvedObject.resourceVersion"),
  at("involvedObject.fieldPath"),
  at("reason"),
  at("reportingComponent"),
  eventSource,
  at("type"),
  namespace,
  name,
);

/** The same fields by the names that the newer version of events has for them. */
const newEvent: Selectable = selectable(
  ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
    (field): [string, FieldReader] => [`regarding.${field}`, at(`regarding.${field}`)[1]],
  ),
  at("reason"),
  ["reportingController", (object) => textAt(object, "reportingController")],
  at("type"),
  namespace,
  name,
);

const known: ReadonlyMap<string, Selectable> = new Map([
  [
    "pods.",
    selectable(
      name,
      namespace,
      at("spec.nodeName"),
      at("spec.restartPolicy"),
      at("spec.schedulerName"),
      at("spec.serviceAccountName"),
      at("spec.hostNetwork", "false"),
      at("status.phase"),
      ["status.podIP", (pod) => textAt(listAt(pod, "status", "podIPs")[0], "ip") || textAt(pod, "status", "podIP")],
      ["status.podIPs", (pod) => textAt(pod, "status", "podIPs")],
      at("status.nominatedNodeName"),
      ["spec.host", (pod) => textAt(pod, "spec", "nodeName")],
    ),
  ],
  ["nodes.", selectable(name, at("spec.unschedulable", "false"))],
  ["replicationcontrollers.", selectable(name, namespace, at("status.replicas", "0"))],
  [
    "jobs.batch",
    {
      fields: new Map([
        name,
        namespace,
        ["status.successful", (job) => shown(valueAt(job, "status", "succeeded")) || "0"],
      ]),
      refusal: (field) => `field label ${quote(field)} not supported for Job`,
    },
  ],
  ["secrets.", selectable(at("type"), namespace, name)],
  ["services.", selectable(namespace, name, at("spec.clusterIP"), at("spec.type"))],
  ["namespaces.", selectable(at("status.phase"), name)],
  [
    "resourceslices.resource.k8s.io",
    {
      fields: new Map([name, at("spec.nodeName"), at("spec.driver")]),
      refusal: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
    },
  ],
  ["events.", event],
  ["events.events.k8s.io", newEvent],
  ["certificatesigningrequests.certificates.k8s.io", selectable(name, at("spec.signerName"))],
]);

const other: Selectable = {
  fields: new Map([name, namespace]),
  refusal: (field) => `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

function of({ group, plural }: Pick<BuiltInKind, "group" | "plural">): Selectable {
  return known.get(`${plural}.${group}`) ?? other;
}

/** Why a field selector cannot be used with a built-in kind, in the server's words; undefined when it can. */
export function selectorProblem(
  kind: Pick<BuiltInKind, "group" | "plural">,
  selector: FieldSelector,
): string | undefined {
  const { fields, refusal } = of(kind);
  const unknown = selector.requirements.find(({ field }) => !fields.has(field));
  return unknown === undefined ? undefined : refusal(unknown.field);
}

/** The value of a field that selectors can use; the empty text where there is none. */
export function selectableValue(
  kind: Pick<BuiltInKind, "group" | "plural">,
  object: JsonRecord,
  field: string,
): string {
  return of(kind).fields.get(field)?.(object) ?? "";
}
