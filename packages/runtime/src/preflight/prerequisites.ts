import { formatGroupResource, type GroupVersionResource } from "@homeostat/core";
import type { AccessRule } from "../controller/access.ts";
import type { Controller } from "../controller/definition.ts";

/** Prerequisites of a controller or service: permissions and kinds that the cluster must have before it starts. */
export interface Prerequisites {
  /** Name of the part: `controller/tenants`. */
  readonly name: string;
  /** Permissions that it needs. */
  readonly access: readonly AccessRule[];
  /** Kinds that the API server must serve in these versions. The kinds of `access` must be served, too, in any version. */
  readonly kinds?: readonly GroupVersionResource[];
  /** True if the program can run without the part while kinds are missing. */
  readonly areKindsOptional?: boolean | undefined;
}

/** Reason why a part is not started. */
export type DegradedReason = "kinds" | "access" | "optional-kinds";

/** Result of checking prerequisites. */
export type Verdict =
  | { readonly is: "met" }
  | {
      readonly is: "unmet";
      /** Rules that are not granted, each with the missing verbs only. */
      readonly access: readonly AccessRule[];
      /** Kinds that the API server does not serve. */
      readonly kinds: readonly MissingKind[];
    }
  /** The check failed. */
  | { readonly is: "unknown"; readonly error: unknown };

/** A kind, version or subresource that the API server does not serve. */
export interface MissingKind {
  readonly group: string;
  readonly resource: string;
  readonly version?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Returns the kinds that a controller lists, watches and writes. */
export function kindsOf({ definition }: Controller): readonly GroupVersionResource[] {
  const { for: primary, owns = {}, watches = {} } = definition;
  const types = [primary, ...[...Object.values(owns), ...Object.values(watches)].map(({ type }) => type)];
  return types.map(({ group, version, plural }) => ({ group, version, plural }));
}

/** Describes missing prerequisites in one line: `orders.example.com/v2 is not served; no permission to list, watch tenants.example.com`. */
export function describeMissing({ access, kinds }: Extract<Verdict, { is: "unmet" }>): string {
  return [
    ...kinds.map((kind) => `${formatKind(kind)} is not served`),
    ...access.map((rule) => `no permission to ${rule.verbs.join(", ")} ${formatResource(rule)}`),
  ].join("; ");
}

/**
 * Returns the reason why a part is not started, which is a label of a metric. Missing kinds come first: without them, permissions cannot be used.
 */
export function reasonOf(
  { kinds }: Extract<Verdict, { is: "unmet" }>,
  { areKindsOptional = false }: Pick<Prerequisites, "areKindsOptional">,
): DegradedReason {
  if (kinds.length === 0) return "access";
  return areKindsOptional ? "optional-kinds" : "kinds";
}

/** Formats rules as YAML for the `rules` of a Role or ClusterRole, with a comment that names the role. */
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

/** Formats a YAML flow sequence. JSON strings are valid YAML. */
function flow(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function formatKind({ group, resource, version, subresource }: MissingKind): string {
  const name = formatGroupResource({ group, plural: resource });
  const inVersion = version === undefined ? name : `${name}/${version}`;
  return subresource === undefined ? inVersion : `${inVersion}, subresource ${subresource},`;
}

function formatResource({ group, resource, subresource, names, namespace }: AccessRule): string {
  const part = subresource === undefined ? resource : `${resource}/${subresource}`;
  const resourceName = group === "" ? part : `${part}.${group}`;
  const named = names === undefined ? "" : ` named ${names.join(", ")}`;
  return `${resourceName}${named}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
