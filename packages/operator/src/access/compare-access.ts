import type { AccessRule } from "@homeostat/runtime";
import type { UsedAccess } from "./access-recorder.ts";

/** How the rights of a program differ from what it does. */
export interface AccessDifference {
  /** What it did without a right to: `get secrets in shop`. */
  readonly missing: readonly string[];
  /** What it has a right to and did not do. */
  readonly unused: readonly string[];
}

/**
 * Compares the rights of a program with what it did.
 *
 * What every account may do anyway is left out: reviews of one's own access.
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
    // A rule with names says nothing about requests without one, as those to create are.
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
