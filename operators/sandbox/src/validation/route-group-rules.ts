// Rules for RouteGroups.

import {
  type DeepReadonly,
  labelSelectorProblems,
  type LabelSelectorObject,
  qualifiedNameProblems,
} from "@homeostat/core";
import { isRoutingKey } from "@homeostat/routing";
import { invalidField, type Problem } from "@homeostat/schema";
import { globProblem } from "../api/glob.ts";
import { apiVersion } from "../api/identity.ts";
import { type CachedRouteGroup, type LabelMatch, RouteGroup } from "../api/route-group.ts";
import { isBaselineKey, routingKeyProblem } from "../api/routing-key.ts";
import { endpointProblems } from "./endpoint-rules.ts";
import type { ObjectProblem } from "./problem.ts";
import { type Rule, rule, type RuleContext, validateObject } from "./rule.ts";
import { descriptionProblems } from "./sandbox-rules.ts";

/** All rules for RouteGroups beyond the schema, in the order in which problems are reported. */
export const routeGroupRules: readonly Rule<CachedRouteGroup>[] = [
  rule("MatchInvalid", ({ spec: { match } }) => matchProblems("spec.match", match)),
  rule("SelectorInvalid", ({ spec: { selector } }) => selectorProblems("spec.selector", selector)),
  rule("DefaultKeyInvalid", function* ({ spec: { defaultRoutingKey: key } }) {
    if (isBaselineKey(key) || isRoutingKey(key)) return;
    yield invalidField("spec.defaultRoutingKey", key, `${routingKeyProblem}; leave it empty for the key of the group`);
  }),
  rule("HeaderDuplicate", function* ({ spec: { routes } }) {
    for (const [index, { headers = [], additionalHeaders }] of routes.entries()) {
      const path = `spec.routes[${index}]`;
      yield* duplicateHeaders(
        `${path}.headers`,
        headers.map(({ name }) => name),
        (at) => `[${at}].name`,
      );
      yield* duplicateHeaders(`${path}.additionalHeaders`, Object.keys(additionalHeaders), (_, name) => `[${name}]`);
    }
  }),
  rule("StickyHeaderUnused", function* ({ spec: { routes } }) {
    for (const [index, { stickyBy, stickyHeader }] of routes.entries()) {
      if (stickyHeader === undefined || stickyBy === "Header") continue;
      const detail = `is used only with stickyBy: Header, but stickyBy is ${stickyBy}; set it to Header or remove stickyHeader`;
      yield invalidField(`spec.routes[${index}].stickyHeader`, stickyHeader, detail);
    }
  }),
  rule("EndpointInvalid", ({ spec: { endpoints } }, context) => endpointProblems(endpoints, context)),
  rule("DescriptionInvalid", ({ spec: { description } }) => descriptionProblems(description)),
];

/** A node of a match tree, of any level. */
interface AnyNode {
  readonly label?: DeepReadonly<LabelMatch> | undefined;
  readonly selector?: LabelSelectorObject | undefined;
  readonly any?: readonly AnyNode[] | undefined;
  readonly all?: readonly AnyNode[] | undefined;
}

/** Yields problems of a match tree. Its depth and its number of leaves are limited by the schema. */
function* matchProblems(path: string, node: AnyNode = {}): Iterable<Problem> {
  const { label, selector, any = [], all = [] } = node;
  if (label !== undefined) {
    if (qualifiedNameProblems(label.key).length > 0) {
      yield invalidField(
        `${path}.label.key`,
        label.key,
        "must be a label key, such as team; a glob is possible in the value only",
      );
    }
    const problem = globProblem(label.value);
    if (problem !== undefined)
      yield invalidField(`${path}.label.value`, label.value, `must be a glob, such as checkout-*: it ${problem}`);
  }
  yield* selectorProblems(`${path}.selector`, selector);
  for (const [index, each] of any.entries()) yield* matchProblems(`${path}.any[${index}]`, each);
  for (const [index, each] of all.entries()) yield* matchProblems(`${path}.all[${index}]`, each);
}

/** Yields problems of a label selector. */
export function* selectorProblems(path: string, selector: LabelSelectorObject | undefined): Iterable<Problem> {
  if (selector === undefined) return;
  for (const problem of labelSelectorProblems(selector)) {
    yield invalidField(`${path}.${problem.path}`, path, problem.message);
  }
}

function* duplicateHeaders(
  path: string,
  names: readonly string[],
  place: (index: number, name: string) => string,
): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const lower = name.toLowerCase();
    if (seen.has(lower)) {
      yield invalidField(
        `${path}${place(index, name)}`,
        name,
        "is listed twice: header names do not depend on case; remove one of them",
      );
    }
    seen.add(lower);
  }
}

const validation = {
  resource: RouteGroup,
  rules: routeGroupRules,
  complete: ({ metadata, spec }: CachedRouteGroup): CachedRouteGroup =>
    RouteGroup.default({ apiVersion, kind: "RouteGroup", metadata: { name: metadata.name ?? "" }, spec }),
};

/** Returns all problems of a RouteGroup that follow from the object itself and the configuration. */
export function routeGroupProblems(routeGroup: CachedRouteGroup, context: RuleContext): readonly ObjectProblem[] {
  return validateObject(routeGroup, validation, context);
}
