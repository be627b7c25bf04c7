import {
  InvalidSelectorError,
  isRecord,
  type JsonRecord,
  labelSelectorProblems,
  ParseError,
  parseFieldSelector,
  parseLabelSelector,
} from "@homeostat/core";
import type { Attributes, Authorizer } from "./attributes.ts";
import { quote } from "@homeostat/cel";
import { joinProblems } from "./go-quote.ts";
import { badRequest, type FieldProblem, invalid, type Refusal } from "./refusal.ts";
import type { RbacPolicy } from "./rbac/policy.ts";
import type { User } from "./user.ts";

// Responses to access reviews. Reviews are never stored. Managed fields are left to the caller.

const group = "authorization.k8s.io";

/** A requirement of a selector in a review. */
export interface ReviewRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

/** A selector, either as text or as requirements. */
export interface ReviewSelector {
  readonly rawSelector?: string | undefined;
  readonly requirements?: readonly ReviewRequirement[] | null | undefined;
}

/** Attributes of a resource request to review. */
export interface ReviewedResource {
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: ReviewSelector | null;
  readonly labelSelector?: ReviewSelector | null;
}

/** Attributes of a non-resource request to review. */
export interface ReviewedPath {
  readonly path?: string;
  readonly verb?: string;
}

/** Spec of an access review. Self reviews name no user. */
export interface AccessReviewSpec {
  readonly resourceAttributes?: ReviewedResource | null;
  readonly nonResourceAttributes?: ReviewedPath | null;
  readonly user?: string;
  readonly groups?: readonly string[] | null;
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>> | null;
}

/** An access review as sent by a client. */
export interface AccessReview {
  readonly metadata?: Readonly<JsonRecord> | undefined;
  readonly spec: AccessReviewSpec;
}

/** Responds to a `SubjectAccessReview`: checks whether a given user is authorized. */
export function reviewAccess(review: AccessReview, authorizer: Authorizer): JsonRecord | Refusal {
  return respond("SubjectAccessReview", { review, authorizer });
}

/** Responds to a `SelfSubjectAccessReview`: checks whether the requesting user is authorized. */
export function reviewOwnAccess(review: AccessReview, user: User, authorizer: Authorizer): JsonRecord | Refusal {
  return respond("SelfSubjectAccessReview", { review, authorizer, user });
}

/**
 * Responds to a `LocalSubjectAccessReview`: checks whether a given user is authorized in the namespace of the request.
 */
export function reviewLocalAccess(
  review: AccessReview,
  namespace: string,
  authorizer: Authorizer,
): JsonRecord | Refusal {
  return respond("LocalSubjectAccessReview", { review, authorizer, namespace });
}

interface ReviewInput {
  readonly review: AccessReview;
  readonly authorizer: Authorizer;
  /** The requesting user of a self review. */
  readonly user?: User;
  /** The namespace of a local review. */
  readonly namespace?: string;
}

function respond(kind: string, { review, authorizer, user, namespace }: ReviewInput): JsonRecord | Refusal {
  const { spec } = review;
  const metadata =
    namespace === undefined
      ? review.metadata
      : { ...review.metadata, namespace: review.metadata?.["namespace"] ?? namespace };
  const problems = [
    ...specProblems(spec, { isAboutSelf: user !== undefined }),
    ...metadataProblems(metadata ?? {}, { isLocal: namespace !== undefined }),
    ...(namespace === undefined ? [] : localProblems(spec, metadata ?? {})),
  ];
  // At this point the real server no longer has the kind, so its message begins with a dot.
  if (problems.length > 0) return invalid({ group, resource: "", name: "" }, problems);
  if (namespace !== undefined && metadata?.["namespace"] !== namespace) {
    return badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
  const { isAllowed, reason } = authorizer.authorize(attributesOf(spec, user ?? userOf(spec)));
  const evaluationError = selectorErrors(spec.resourceAttributes).join("; ");
  return {
    kind,
    apiVersion: `${group}/v1`,
    metadata: metadata ?? {},
    spec,
    status: {
      allowed: isAllowed,
      ...(reason === "" ? {} : { reason }),
      ...(evaluationError === "" ? {} : { evaluationError }),
    },
  };
}

function userOf({ user = "", groups, uid = "", extra }: AccessReviewSpec): User {
  return { name: user, uid, groups: groups ?? [], extra: extra ?? {} };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec, user: User): Attributes {
  if (resourceAttributes === undefined || resourceAttributes === null) {
    return { user, verb: nonResourceAttributes?.verb ?? "", path: nonResourceAttributes?.path ?? "" };
  }
  const { verb = "", group = "", resource = "", subresource = "", namespace = "", name = "" } = resourceAttributes;
  return { user, verb, group, resource, subresource, namespace, name };
}

function specProblems(spec: AccessReviewSpec, { isAboutSelf }: { isAboutSelf: boolean }): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const resource = spec.resourceAttributes ?? undefined;
  const path = spec.nonResourceAttributes ?? undefined;
  if (resource !== undefined && path !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    problems.push({ field: "spec.nonResourceAttributes", type: "Invalid", shown: showPath(path), detail });
  }
  if (resource === undefined && path === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    problems.push({ field: "spec.resourceAttributes", type: "Invalid", shown: "null", detail });
  }
  if (!isAboutSelf && (spec.user ?? "") === "" && (spec.groups ?? []).length === 0) {
    const detail = "at least one of user or group must be specified";
    problems.push({ field: "spec.user", type: "Invalid", shown: '""', detail });
  }
  problems.push(...selectorProblems("fieldSelector", resource?.fieldSelector));
  problems.push(...selectorProblems("labelSelector", resource?.labelSelector));
  return problems;
}

/** Formats a path as the real server does: with Go field names instead of JSON names. */
function showPath({ path = "", verb = "" }: ReviewedPath): string {
  return JSON.stringify({ Path: path, Verb: verb });
}

function metadataProblems(metadata: Readonly<JsonRecord>, { isLocal }: { isLocal: boolean }): FieldProblem[] {
  const allowed = new Set(isLocal ? ["managedFields", "namespace"] : ["managedFields"]);
  if (Object.keys(metadata).every((key) => allowed.has(key) || isEmpty(metadata[key]))) return [];
  const detail = isLocal ? "must be empty except for namespace" : "must be empty";
  return [{ field: "metadata", type: "Invalid", shown: JSON.stringify(metadata), detail }];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (isRecord(value) && Object.keys(value).length === 0);
}

function localProblems(spec: AccessReviewSpec, metadata: Readonly<JsonRecord>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { resourceAttributes, nonResourceAttributes } = spec;
  const requestedNamespace = resourceAttributes?.namespace ?? "";
  if (
    resourceAttributes !== undefined &&
    resourceAttributes !== null &&
    requestedNamespace !== (metadata["namespace"] ?? "")
  ) {
    const field = "spec.resourceAttributes.namespace";
    problems.push({
      field,
      type: "Invalid",
      shown: quote(requestedNamespace),
      detail: "must match metadata.namespace",
    });
  }
  if (nonResourceAttributes !== undefined && nonResourceAttributes !== null) {
    const shown = showPath(nonResourceAttributes);
    const detail = "disallowed on this kind of request";
    problems.push({ field: "spec.nonResourceAttributes", type: "Invalid", shown, detail });
  }
  return problems;
}

function selectorProblems(name: string, selector: ReviewSelector | null | undefined): FieldProblem[] {
  if (selector === undefined || selector === null) return [];
  const field = `spec.resourceAttributes.${name}`;
  const { rawSelector = "", requirements } = selector;
  const count = requirements?.length ?? 0;
  if (rawSelector !== "" && count > 0) {
    const detail = "may not specified at the same time as requirements";
    return [{ field: `${field}.rawSelector`, type: "Invalid", shown: quote(rawSelector), detail }];
  }
  if (rawSelector !== "" || count > 0) return [];
  const detail = `when ${field} is specified, requirements or rawSelector is required`;
  return [{ field: `${field}.requirements`, type: "Required", detail }];
}

/**
 * Returns parse errors of selectors. Selectors do not affect RBAC decisions, but the user should learn that one was
 * ignored.
 */
function selectorErrors(resource: ReviewedResource | null | undefined): string[] {
  return [
    ...selectorError("fieldSelector", resource?.fieldSelector, fieldSelectorState),
    ...selectorError("labelSelector", resource?.labelSelector, labelSelectorState),
  ];
}

/** The part of a selector that could be parsed. */
type Reading = "all" | "some" | "none";

function selectorError(
  name: string,
  selector: ReviewSelector | null | undefined,
  read: (selector: ReviewSelector) => Reading,
): string[] {
  const reading = selector === undefined || selector === null ? "all" : read(selector);
  if (reading === "all") return [];
  const how = reading === "some" ? "partially ignored" : "ignored";
  return [`spec.resourceAttributes.${name} ${how} due to parse error`];
}

function fieldSelectorState({ rawSelector = "", requirements }: ReviewSelector): Reading {
  if (rawSelector !== "") return parses(() => parseFieldSelector(rawSelector));
  return readingOf(requirements ?? [], ({ operator, values }) => {
    return (operator === "In" || operator === "NotIn") && values?.length === 1;
  });
}

function labelSelectorState({ rawSelector = "", requirements }: ReviewSelector): Reading {
  if (rawSelector !== "") return parses(() => parseLabelSelector(rawSelector));
  return readingOf(requirements ?? [], (requirement) => {
    return labelSelectorProblems({ matchExpressions: [requirement] }).length === 0;
  });
}

function readingOf(requirements: readonly ReviewRequirement[], isValid: (each: ReviewRequirement) => boolean): Reading {
  const count = requirements.filter(isValid).length;
  return count === requirements.length ? "all" : count > 0 ? "some" : "none";
}

function parses(parse: () => unknown): Reading {
  try {
    parse();
    return "all";
  } catch (error) {
    if (error instanceof ParseError || error instanceof InvalidSelectorError) return "none";
    throw error;
  }
}

/** Responds to a `SelfSubjectRulesReview`: returns the rules of the requesting user in a namespace. */
export function reviewOwnRules(
  { spec }: { readonly spec?: { readonly namespace?: string } | undefined },
  user: User,
  policy: RbacPolicy,
): JsonRecord | Refusal {
  const namespace = spec?.namespace ?? "";
  if (namespace === "") return badRequest("no namespace on request");
  const { rules, unresolved } = policy.rulesFor(user, namespace);
  const problems = unresolved.map(({ problem }) => problem);
  const resourceRules = rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) => {
    if (resources === undefined || resources === null || resources.length === 0) return [];
    const names = resourceNames === undefined || resourceNames === null || resourceNames.length === 0;
    return [{ verbs, apiGroups, resources, ...(names ? {} : { resourceNames }) }];
  });
  const nonResourceRules = rules.flatMap(({ verbs, nonResourceURLs }) => {
    const isAboutPaths = nonResourceURLs !== undefined && nonResourceURLs !== null && nonResourceURLs.length > 0;
    return isAboutPaths ? [{ verbs, nonResourceURLs }] : [];
  });
  return {
    kind: "SelfSubjectRulesReview",
    apiVersion: `${group}/v1`,
    metadata: {},
    spec: {},
    status: {
      resourceRules,
      nonResourceRules,
      incomplete: false,
      ...(problems.length === 0 ? {} : { evaluationError: joinProblems(problems) }),
    },
  };
}
