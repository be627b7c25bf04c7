import type { AccessRule } from "@homeostat/runtime";
import type { UsedAccess } from "./access-recorder.ts";

/** The difference between granted and used permissions. */
export interface AccessDifference {
  /** Permissions that were used but not granted: `get secrets in shop`. */
  readonly missing: readonly string[];
  /** Permissions that were granted but not used. */
  readonly unused: readonly string[];
}

/**
 * Compares the granted permissions of a program with those that it used.
 *
 * Requests to `authorization.k8s.io` are omitted: every account may review its own access.
 */
export function compareAccess(rules: readonly AccessRule[], used: readonly UsedAccess[]): AccessDifference {
  const relevant = used.filter(({ group }) => group !== "authorization.k8s.io");
  const missing = relevant.filter((access) => !rules.some((rule) => allows(rule, access.verb, access)));
  const unused = rules.flatMap((rule) =>
    rule.verbs
      .filter((verb) => !relevant.some((access) => access.verb === verb && allows(rule, verb, access)))
      .map((verb) => describe({ ...rule, verb })),
  );
  return { missing: [...new Set(missing.map(describe))], unused };
}

function allows(rule: AccessRule, verb: string, access: UsedAccess): boolean {
  return (
    rule.verbs.includes(verb) &&
    rule.group === access.group &&
    rule.resource === access.resource &&
    rule.subresource === access.subresource &&
    (rule.namespace === undefined || rule.namespace === access.namespace) &&
    // A rule with resourceNames never matches a request without a name, such as create.
    (rule.names === undefined || (access.name !== undefined && rule.names.includes(access.name)))
  );
}

interface Described {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
}

function describe({ verb, group, resource, subresource, namespace }: Described): string {
  const plural = group === "" ? resource : `${resource}.${group}`;
  const path = subresource === undefined ? plural : `${plural}/${subresource}`;
  return `${verb} ${path}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
