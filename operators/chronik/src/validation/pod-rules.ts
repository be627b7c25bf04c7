// Rules for fields that are copied to pods.

import { entryPath, forbiddenField, imageProblems, invalidField, labelProblems, type Problem } from "@homeostat/schema";
import { qualifiedNameProblems } from "@homeostat/core";
import { annotationPrefix } from "../api/annotations.ts";
import { components } from "../api/identity.ts";
import { reservedLabelPrefixes, reservedLabels } from "../api/labels.ts";
import { ownedVariableProblem, reservedAnnotationProblem, reservedLabelProblem } from "../api/spec-common.ts";
import {
  addedCapabilitiesProblem,
  droppedCapabilitiesProblem,
  escalationProblem,
  privilegedProblem,
  rootProblem,
} from "../api/spec-security.ts";
import { ownedVariables } from "../api/variables.ts";
import { type Rule, type RuledSpec, specRule } from "./rule.ts";

type UserMap = Readonly<Record<string, string>>;

export const podRules: readonly Rule[] = [
  specRule("LabelReserved", function* (spec) {
    for (const [path, labels] of labelMaps(spec)) {
      for (const key of Object.keys(labels)) {
        const isReserved = reservedLabels.includes(key) || reservedLabelPrefixes.some((each) => key.startsWith(each));
        if (isReserved) yield forbiddenField(entryPath(path, key), reservedLabelProblem);
      }
    }
  }),
  specRule("LabelInvalid", function* (spec) {
    for (const [path, labels] of labelMaps(spec)) yield* labelProblems(path, labels);
    yield* labelProblems("spec.nodeSelector", spec.nodeSelector);
    for (const component of components) {
      yield* labelProblems(`spec.template.${component}.nodeSelector`, spec.template?.[component]?.nodeSelector);
    }
  }),
  specRule("AnnotationReserved", function* (spec) {
    for (const [path, annotations] of annotationMaps(spec)) {
      for (const key of Object.keys(annotations)) {
        if (key.startsWith(annotationPrefix)) yield forbiddenField(entryPath(path, key), reservedAnnotationProblem);
      }
    }
  }),
  specRule("AnnotationInvalid", function* (spec) {
    const services = spec.network.serviceAnnotations ?? {};
    for (const [path, annotations] of [
      ...annotationMaps(spec),
      ["spec.network.serviceAnnotations", services] as const,
    ]) {
      for (const key of Object.keys(annotations)) {
        // The API server checks the keys of annotations in lower case.
        if (qualifiedNameProblems(key.toLowerCase()).length === 0) continue;
        yield invalidField(entryPath(path, key), key, "must be a valid annotation key");
      }
    }
  }),
  specRule("TopologyKeyInvalid", function* ({ antiAffinityTopologyKey: key }) {
    if (qualifiedNameProblems(key).length === 0) return;
    yield invalidField("spec.antiAffinityTopologyKey", key, "must be a valid label key");
  }),
  specRule("ImageInvalid", function* ({ image }) {
    for (const component of components) yield* imageProblems(`spec.image.${component}`, image?.[component]);
  }),
  specRule("VariableInvalid", function* (spec) {
    const lists = [
      ["spec.env", spec.env],
      ...components.map((component) => [`spec.template.${component}.env`, spec.template?.[component]?.env] as const),
    ] as const;
    for (const [path, entries = []] of lists) yield* variableProblems(path, entries);
  }),
  specRule("SecuritySettingForbidden", securityProblems),
];

function labelMaps({ podLabels, template }: RuledSpec): [string, UserMap][] {
  return [
    ["spec.podLabels", podLabels ?? {}],
    ...components.map((component): [string, UserMap] => [
      `spec.template.${component}.labels`,
      template?.[component]?.labels ?? {},
    ]),
  ];
}

function annotationMaps({ podAnnotations, template }: RuledSpec): [string, UserMap][] {
  return [
    ["spec.podAnnotations", podAnnotations ?? {}],
    ...components.map((component): [string, UserMap] => [
      `spec.template.${component}.annotations`,
      template?.[component]?.annotations ?? {},
    ]),
  ];
}

const owned: ReadonlySet<string> = new Set(ownedVariables);

function* variableProblems(path: string, entries: NonNullable<RuledSpec["env"]>): Iterable<Problem> {
  const names = new Set<string>();
  for (const [index, { name, value, valueFromSecret }] of entries.entries()) {
    const at = `${path}[${index}]`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      yield invalidField(
        `${at}.name`,
        name,
        "must consist of letters, digits and underscores, and must not start with a digit",
      );
    }
    if (owned.has(name)) yield forbiddenField(`${at}.name`, ownedVariableProblem);
    if (names.has(name)) yield invalidField(`${at}.name`, name, "must be unique");
    if ((value === undefined) === (valueFromSecret === undefined)) {
      yield invalidField(at, name, "exactly one of value, valueFromSecret must be set");
    }
    names.add(name);
  }
}

function* securityProblems({ security }: RuledSpec): Iterable<Problem> {
  const parts = ["podSecurityContext", "containerSecurityContext"] as const;
  for (const part of parts) {
    const path = `spec.security.${part}`;
    const { runAsUser, runAsNonRoot } = security[part] ?? {};
    if (runAsUser === 0) yield forbiddenField(`${path}.runAsUser`, rootProblem);
    if (runAsNonRoot === false) yield forbiddenField(`${path}.runAsNonRoot`, rootProblem);
  }
  const path = "spec.security.containerSecurityContext";
  const { privileged, allowPrivilegeEscalation, capabilities } = security.containerSecurityContext ?? {};
  if (privileged === true) yield forbiddenField(`${path}.privileged`, privilegedProblem);
  if (allowPrivilegeEscalation === true) yield forbiddenField(`${path}.allowPrivilegeEscalation`, escalationProblem);
  if ((capabilities?.add ?? []).length > 0) yield forbiddenField(`${path}.capabilities.add`, addedCapabilitiesProblem);
  if (capabilities?.drop !== undefined && !capabilities.drop.includes("ALL")) {
    yield forbiddenField(`${path}.capabilities.drop`, droppedCapabilitiesProblem);
  }
}
