// Which flow a request belongs to. Nobody waits here; clients are told the flow and its level, as the real server tells them.

import type { JsonRecord } from "@homeostat/core";
import { type Attributes, isPathRequest } from "../auth/attributes.ts";
import type { User } from "../auth/user.ts";
import { keyPrefix } from "../registry/keys.ts";
import type { Store } from "../storage/store.ts";
import { listAt, textAt, valueAt } from "../tables/read.ts";
import { byPrecedence } from "../kinds/flowcontrol/flowschema/strategy.ts";

const group = "flowcontrol.apiserver.k8s.io";
const flowPrefix = keyPrefix(group, "flowschemas");
const levelPrefix = keyPrefix(group, "prioritylevelconfigurations");

/** Headers of every answer to a request of one flow. */
type FlowHeaders = Readonly<Record<string, string>>;

interface Flow {
  readonly rules: readonly FlowRule[];
  readonly headers: FlowHeaders;
}

interface FlowRule {
  readonly subjects: readonly ((user: User) => boolean)[];
  readonly resources: readonly unknown[];
  readonly paths: readonly unknown[];
}

/** Finds the flows of requests, by the FlowSchemas in a store. */
export class FlowChoice implements Disposable {
  readonly #store: Store<JsonRecord>;
  readonly #unsubscribe: () => void;
  #seen: number;
  #flows: readonly Flow[] | undefined;

  constructor(store: Store<JsonRecord>) {
    this.#store = store;
    this.#seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => {
      for (; this.#seen < visible; this.#seen += 1) {
        const key = store.change(this.#seen + 1)?.key ?? "";
        if (key.startsWith(flowPrefix) || key.startsWith(levelPrefix)) this.#flows = undefined;
      }
    });
  }

  /** What the answers to a request say of its flow; nothing when it belongs to none. */
  headersFor(attributes: Attributes): FlowHeaders | undefined {
    this.#flows ??= readFlows(this.#store);
    return this.#flows.find(({ rules }) => rules.some((rule) => isMet(rule, attributes)))?.headers;
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
    const level = store.get(levelPrefix + textAt(flow, "spec", "priorityLevelConfiguration", "name"));
    return {
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

function isMet({ subjects, resources, paths }: FlowRule, attributes: Attributes): boolean {
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
