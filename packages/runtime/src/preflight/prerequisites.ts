import { formatGroupResource, type GroupVersionResource } from "@homeostat/core";
import type { AccessRule } from "../controller/access.ts";
import type { Controller } from "../controller/definition.ts";

/** What a part of a program needs of the cluster to do its work. */
export interface Need {
  /** Such as `controller/tenants`. */
  readonly name: string;
  /** What it has to be allowed to do. */
  readonly access: readonly AccessRule[];
  /** The kinds, in their versions, that the server has to have. Those of `access` go without saying, in any version. */
  readonly kinds?: readonly GroupVersionResource[];
}

/** Whether a need is met. */
export type Verdict =
  | { readonly is: "met" }
  | {
      readonly is: "unmet";
      /** The rules that are not granted, each with only the verbs that are missing. */
      readonly access: readonly AccessRule[];
      /** The kinds that the server does not have. */
      readonly kinds: readonly MissingKind[];
    }
  /** The server did not say. */
  | { readonly is: "unknown"; readonly error: unknown };

/** A kind that the server does not have, perhaps only in this version, or without this part. */
export interface MissingKind {
  readonly group: string;
  readonly resource: string;
  readonly version?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The kinds that a controller lists, watches and writes. */
export function kindsOf({ definition }: Controller): readonly GroupVersionResource[] {
  const { for: primary, owns = {}, watches = {} } = definition;
  const types = [primary, ...[...Object.values(owns), ...Object.values(watches)].map(({ type }) => type)];
  return types.map(({ group, version, plural }) => ({ group, version, plural }));
}

/** What is missing, in one line: `may not list, watch tenants.example.com; orders.example.com/v2 is not served`. */
export function describeUnmet({ access, kinds }: Extract<Verdict, { is: "unmet" }>): string {
  return [
    ...kinds.map((kind) => `${formatKind(kind)} is not served`),
    ...access.map((rule) => `may not ${rule.verbs.join(", ")} ${formatPlace(rule)}`),
  ].join("; ");
}

/** One word for the metric: what has to be mended first. */
export function reasonOf({ kinds }: Extract<Verdict, { is: "unmet" }>): "kinds" | "access" {
  return kinds.length > 0 ? "kinds" : "access";
}

/** Rules as YAML, ready for the `rules` of a Role or ClusterRole, with a comment that says of which. */
export function rulesYaml(rules: readonly AccessRule[]): string {
  let before: string | undefined;
  return rules
    .map(({ group, resource, subresource, verbs, names, namespace }) => {
      const where = namespace === undefined ? "ClusterRole" : `Role in ${namespace}`;
      const isOther = where !== before;
      before = where;
      return [
        ...(isOther ? [`# ${where}`] : []),
        `- apiGroups: ${flow([group])}`,
        `  resources: ${flow([subresource === undefined ? resource : `${resource}/${subresource}`])}`,
        ...(names === undefined ? [] : [`  resourceNames: ${flow(names)}`]),
        `  verbs: ${flow(verbs)}`,
      ].join("\n");
    })
    .join("\n");
}

// JSON's strings are YAML's, too.
function flow(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function formatKind({ group, resource, version, subresource }: MissingKind): string {
  const name = formatGroupResource({ group, plural: resource });
  const inVersion = version === undefined ? name : `${name}/${version}`;
  return subresource === undefined ? inVersion : `${inVersion}, subresource ${subresource},`;
}

function formatPlace({ group, resource, subresource, names, namespace }: AccessRule): string {
  const part = subresource === undefined ? resource : `${resource}/${subresource}`;
  const place = group === "" ? part : `${part}.${group}`;
  const named = names === undefined ? "" : ` named ${names.join(", ")}`;
  return `${place}${named}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
