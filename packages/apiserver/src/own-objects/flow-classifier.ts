// Classification of requests by FlowSchema. This server does not queue requests; it only reports the FlowSchema and the priority level
// of a request in response headers, as kube-apiserver does.

import type { JsonRecord } from "@homeostat/core";
import { type Attributes, isPathRequest } from "../auth/attributes.ts";
import type { User } from "../auth/user.ts";
import { keyPrefix } from "../resources/keys.ts";
import type { Store } from "../storage/store.ts";
import type { LevelState } from "../metrics/debug-pages.ts";
import { listAt, numberAt, textAt, valueAt } from "../values/fields.ts";
import { byPrecedence } from "../kinds/flowcontrol/flowschema/strategy.ts";

const group = "flowcontrol.apiserver.k8s.io";
const flowPrefix = keyPrefix(group, "flowschemas");
const levelPrefix = keyPrefix(group, "prioritylevelconfigurations");

/** Limit of the counters, which would otherwise grow with every FlowSchema that was ever created. */
const countedMax = 1_000;

/** Response headers of all requests of one FlowSchema. */
type FlowHeaders = Readonly<Record<string, string>>;

interface Flow {
  readonly rules: readonly FlowRule[];
  readonly headers: FlowHeaders;
  readonly name: string;
  readonly level: string;
}

interface FlowRule {
  readonly subjects: readonly ((user: User) => boolean)[];
  readonly resources: readonly unknown[];
  readonly paths: readonly unknown[];
}

/** Finds the FlowSchema of a request among those in the store. */
export class FlowClassifier implements Disposable {
  readonly #store: Store<JsonRecord>;
  readonly #unsubscribe: () => void;
  #flows: readonly Flow[] | undefined;
  /** Number of requests by flow and level. The counts stay when the objects are deleted, as metrics must not decrease. */
  readonly #dispatched = new Map<string, number>();

  constructor(store: Store<JsonRecord>) {
    this.#store = store;
    // Flows are read from the newest state, so the cache must follow it as well: `subscribe` reports a write only when it is saved, and
    // one that is rolled back not at all.
    this.#unsubscribe = store.observe(({ key }) => {
      if (key.startsWith(flowPrefix) || key.startsWith(levelPrefix)) this.#flows = undefined;
    });
  }

  /** Returns the response headers of a request and counts it; undefined when no FlowSchema matches. */
  headersFor(attributes: Attributes): FlowHeaders | undefined {
    this.#flows ??= readFlows(this.#store);
    const flow = this.#flows.find(({ rules }) => rules.some((rule) => matchesRule(rule, attributes)));
    if (flow === undefined) return undefined;
    const key = `${flow.name}\n${flow.level}`;
    const count = this.#dispatched.get(key);
    if (count !== undefined || this.#dispatched.size < countedMax) this.#dispatched.set(key, (count ?? 0) + 1);
    return flow.headers;
  }

  /** Returns the number of requests of each flow. */
  dispatched(): { readonly flow: string; readonly level: string; readonly count: number }[] {
    return [...this.#dispatched].map(([key, count]) => {
      const [flow = "", level = ""] = key.split("\n");
      return { flow, level, count };
    });
  }

  /** Returns the stored priority levels with their number of requests. */
  levels(): LevelState[] {
    const counts = this.dispatched();
    return this.#store
      .view()
      .entries({ prefix: levelPrefix })
      .map((entry) => {
        const level = this.#store.read(entry);
        const name = textAt(level, "metadata", "name");
        const own = counts.filter((each) => each.level === name);
        return {
          name,
          queues: numberAt(level, "spec", "limited", "limitResponse", "queuing", "queues"),
          isExempt: textAt(level, "spec", "type") === "Exempt",
          dispatched: own.reduce((sum, { count }) => sum + count, 0),
        };
      });
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }
}

function readFlows(store: Store<JsonRecord>): Flow[] {
  const stored = store
    .view()
    .entries({ prefix: flowPrefix })
    .map((entry) => store.read(entry));
  return stored.toSorted(byPrecedence).map((flow) => {
    const levelName = textAt(flow, "spec", "priorityLevelConfiguration", "name");
    const level = store.get(levelPrefix + levelName);
    return {
      name: textAt(flow, "metadata", "name"),
      level: levelName,
      rules: listAt(flow, "spec", "rules").map((rule) => ({
        subjects: listAt(rule, "subjects").map(subjectOf),
        resources: listAt(rule, "resourceRules"),
        paths: listAt(rule, "nonResourceRules"),
      })),
      headers: {
        "X-Kubernetes-Pf-Flowschema-Uid": textAt(flow, "metadata", "uid"),
        "X-Kubernetes-Pf-Prioritylevel-Uid": level === undefined ? "" : textAt(store.read(level), "metadata", "uid"),
      },
    };
  });
}

function subjectOf(subject: unknown): (user: User) => boolean {
  switch (textAt(subject, "kind")) {
    case "User": {
      const name = textAt(subject, "user", "name");
      return (user) => name === "*" || user.name === name;
    }
    case "Group": {
      const name = textAt(subject, "group", "name");
      return (user) => name === "*" || user.groups.includes(name);
    }
    default: {
      const name = textAt(subject, "serviceAccount", "name");
      const prefix = `system:serviceaccount:${textAt(subject, "serviceAccount", "namespace")}:`;
      return (user) => (name === "*" ? user.name.startsWith(prefix) : user.name === prefix + name);
    }
  }
}

function matchesRule({ subjects, resources, paths }: FlowRule, attributes: Attributes): boolean {
  if (!subjects.some((isSubject) => isSubject(attributes.user))) return false;
  if (isPathRequest(attributes)) {
    const { verb, path } = attributes;
    return paths.some((rule) => has(rule, "verbs", verb) && hasPath(rule, path));
  }
  const { verb, group: own, resource, subresource, namespace } = attributes;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (rule) =>
      has(rule, "verbs", verb) &&
      has(rule, "apiGroups", own) &&
      has(rule, "resources", full) &&
      (namespace === "" ? valueAt(rule, "clusterScope") === true : has(rule, "namespaces", namespace)),
  );
}

function has(rule: unknown, field: string, word: string): boolean {
  return listAt(rule, field).some((each) => each === "*" || each === word);
}

function hasPath(rule: unknown, path: string): boolean {
  return listAt(rule, "nonResourceURLs")
    .map(String)
    .some((each) => each === "*" || each === path || (each.endsWith("/*") && path.startsWith(each.slice(0, -1))));
}
