import { isRecord, type JsonRecord, type Quantity } from "@homeostat/core";
import { entriesAt, isSet, listAt, textAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { forbid, joinMessages, resourceOf } from "../admission/forbid.ts";
import { type Amounts, amountsAt, podAmounts } from "../admission/resource-lists.ts";

const annotation = "kubernetes.io/limit-ranger";

/**
 * Returns the step that enforces the LimitRanges of the namespace on pods and claims: it sets default requests and
 * limits, and refuses values outside the allowed range.
 */
export function limitRanger(reader: ClusterReader): AdmissionStep {
  const rangesFor = (request: AdmissionRequest): readonly JsonRecord[] => {
    if (!isLimited(request)) return [];
    const { namespace } = request;
    return reader.list({ group: "", resource: "limitranges", namespace });
  };
  return {
    name: "LimitRanger",
    mutate: (request) => {
      if (resourceOf(request) !== "pods") return undefined;
      let pod = request.object;
      for (const range of rangesFor(request)) if (pod !== undefined) pod = withDefaults(pod, range);
      return pod;
    },
    validate: (request) => {
      for (const range of rangesFor(request)) {
        const violations =
          resourceOf(request) === "pods"
            ? podViolations(request.object, range)
            : claimViolations(request.object, range);
        if (violations.length > 0) throw forbid(request, joinMessages(violations));
      }
    },
  };
}

/**
 * Reports whether a request is subject to LimitRanges. Resources of a pod change only at creation and through `resize`;
 * an object that is being deleted is exempt, so that its finalizers can still be removed.
 */
function isLimited(request: AdmissionRequest): boolean {
  const { operation, subresource, oldObject } = request;
  if (isSet(oldObject, "metadata", "deletionTimestamp")) return false;
  const resource = resourceOf(request);
  if (resource === "pods") {
    return subresource === "resize" ? operation === "UPDATE" : subresource === "" && operation === "CREATE";
  }
  return (
    resource === "persistentvolumeclaims" && subresource === "" && (operation === "CREATE" || operation === "UPDATE")
  );
}

/**
 * Sets the defaults of a LimitRange on all containers that lack them, and records them in an annotation, as the real
 * server does.
 */
export function withDefaults(pod: JsonRecord, range: unknown): JsonRecord {
  const limits = listAt(range, "spec", "limits").filter((limit) => textAt(limit, "type") === "Container");
  const defaults = {
    limits: Object.fromEntries(limits.flatMap((limit) => entriesAt(limit, "default"))),
    requests: Object.fromEntries(limits.flatMap((limit) => entriesAt(limit, "defaultRequest"))),
  };
  const notes: string[] = [];
  const fill = (container: unknown, title: string): unknown => {
    if (!isRecord(container)) return container;
    const resources: JsonRecord = { ...(isRecord(container["resources"]) ? container["resources"] : {}) };
    for (const field of ["requests", "limits"] as const) {
      const own = Object.fromEntries(entriesAt(resources, field));
      const missing = Object.keys(defaults[field]).filter((name) => !Object.hasOwn(own, name));
      if (missing.length === 0) continue;
      resources[field] = { ...defaults[field], ...own };
      const what = field === "requests" ? "request" : "limit";
      notes.push(`${missing.toSorted().join(", ")} ${what} for ${title} ${textAt(container, "name")}`);
    }
    return { ...container, resources };
  };
  const containers = listAt(pod, "spec", "containers").map((each) => fill(each, "container"));
  const initContainers = listAt(pod, "spec", "initContainers").map((each) => fill(each, "init container"));
  if (notes.length === 0) return pod;
  const metadata = isRecord(pod["metadata"]) ? pod["metadata"] : {};
  const annotations = isRecord(metadata["annotations"]) ? metadata["annotations"] : {};
  return {
    ...pod,
    metadata: {
      ...metadata,
      annotations: { ...annotations, [annotation]: `LimitRanger plugin set: ${notes.join("; ")}` },
    },
    spec: {
      ...(isRecord(pod["spec"]) ? pod["spec"] : {}),
      containers,
      ...(initContainers.length === 0 ? {} : { initContainers: initContainers }),
    },
  };
}

/** Requests and limits of a container or of a whole pod. */
interface Resources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Returns all violations of a LimitRange by a pod. */
export function podViolations(pod: unknown, range: unknown): string[] {
  return listAt(range, "spec", "limits").flatMap((limit) => {
    const type = textAt(limit, "type");
    if (type === "Pod") {
      return violations(limit, { requests: podAmounts(pod, "requests"), limits: podAmounts(pod, "limits") });
    }
    if (type !== "Container") return [];
    return [...listAt(pod, "spec", "containers"), ...listAt(pod, "spec", "initContainers")].flatMap((container) =>
      violations(limit, {
        requests: amountsAt(container, "resources", "requests"),
        limits: amountsAt(container, "resources", "limits"),
      }),
    );
  });
}

/** Returns all violations of a LimitRange by a claim. */
export function claimViolations(claim: unknown, range: unknown): string[] {
  const requests = amountsAt(claim, "spec", "resources", "requests");
  return listAt(range, "spec", "limits")
    .filter((limit) => textAt(limit, "type") === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...checkEach(limit, "min", (rule) => tooLittle(rule, { requests, limits: new Map() })),
      ...checkEach(limit, "max", (rule) => tooMuchRequested(rule, requests)),
    ]);
}

function violations(limit: unknown, resources: Resources): string[] {
  return [
    ...checkEach(limit, "min", (rule) => tooLittle(rule, resources)),
    ...checkEach(limit, "max", (rule) => tooMuch(rule, resources)),
    ...checkEach(limit, "maxLimitRequestRatio", (rule) => ratioTooHigh(rule, resources)),
  ];
}

/** One bound of a LimitRange: `minimum cpu usage per Container is 100m`. */
interface LimitRule {
  readonly name: string;
  readonly type: string;
  readonly bound: Quantity;
}

function checkEach(limit: unknown, field: string, check: (rule: LimitRule) => string | undefined): string[] {
  return [...amountsAt(limit, field)].flatMap(([name, bound]) => {
    const violation = check({ name, type: textAt(limit, "type"), bound });
    return violation === undefined ? [] : [violation];
  });
}

function tooLittle({ name, type, bound }: LimitRule, { requests, limits }: Resources): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${bound.canonical()}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined) return `${rule}.  No request is specified`;
  if (request.isLessThan(bound)) return `${rule}, but request is ${request.canonical()}`;
  return limit?.isLessThan(bound) === true ? `${rule}, but limit is ${limit.canonical()}` : undefined;
}

function tooMuch({ name, type, bound }: LimitRule, { requests, limits }: Resources): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound.canonical()}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limit.isGreaterThan(bound)) return `${rule}, but limit is ${limit.canonical()}`;
  return request?.isGreaterThan(bound) === true ? `${rule}, but request is ${request.canonical()}` : undefined;
}

function tooMuchRequested({ name, type, bound }: LimitRule, requests: Amounts): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound.canonical()}`;
  const request = requests.get(name);
  if (request === undefined) return `${rule}.  No request is specified`;
  return request.isGreaterThan(bound) ? `${rule}, but request is ${request.canonical()}` : undefined;
}

function ratioTooHigh({ name, type, bound }: LimitRule, { requests, limits }: Resources): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound.canonical()}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined || request.isZero()) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero()) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit.milliValue()) / Number(request.milliValue());
  const isTooHigh = ratio * 1000 > Number(bound.milliValue());
  return isTooHigh ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
