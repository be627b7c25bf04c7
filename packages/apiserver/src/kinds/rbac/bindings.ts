// Validation, defaults and cells shared by RoleBindings and ClusterRoleBindings.

import { isEqual, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../../values/fields.ts";
import { age, nameOf } from "../../tables/cell-text.ts";
import type { TypeDefaults } from "../defaulting/defaults.ts";
import type { Field } from "../../validation/field.ts";
import { fill } from "../defaulting/fill.ts";

const rbacGroupName = "rbac.authorization.k8s.io";

/** Checks a binding. Its role must be of one of the given kinds. */
export function checkBinding(object: Field, kinds: readonly string[]): void {
  const role = object.at("roleRef");
  if (role.at("apiGroup").text !== rbacGroupName)
    role.at("apiGroup").notSupported([rbacGroupName], role.at("apiGroup").text);
  if (!kinds.includes(role.at("kind").text)) role.at("kind").notSupported(kinds, role.at("kind").text);
  checkRoleName(role.at("name"));
  for (const subject of object.at("subjects").items()) checkSubject(subject, kinds.length > 1);
}

function checkRoleName(name: Field): void {
  if (name.text === "") {
    name.required();
    return;
  }
  if (name.text === "." || name.text === "..") name.invalid(`may not be '${name.text}'`);
  for (const sign of ["/", "%"]) if (name.text.includes(sign)) name.invalid(`may not contain '${sign}'`);
}

function checkSubject(subject: Field, isNamespaced: boolean): void {
  const [kind, name, group] = [subject.at("kind"), subject.at("name"), subject.at("apiGroup")];
  if (name.text === "") name.required();
  switch (kind.text) {
    case "ServiceAccount":
      if (name.text !== "") name.dnsSubdomain();
      if (group.text !== "") group.notSupported([""]);
      if (!isNamespaced && subject.at("namespace").text === "") subject.at("namespace").required();
      break;
    case "User":
    case "Group":
      if (group.text !== rbacGroupName) group.notSupported([rbacGroupName], group.text);
      break;
    default:
      kind.notSupported(["ServiceAccount", "User", "Group"], kind.text);
  }
}

/** Checks that an update does not change the role: users with rights on a binding would otherwise escalate it. */
export function checkImmutableRoleRef(object: Field, old: Field): void {
  if (!isEqual(object.at("roleRef").value, old.at("roleRef").value))
    object.at("roleRef").invalid("cannot change roleRef");
}

function defaultSubject(value: JsonRecord): void {
  const kind = textAt(value, "kind");
  if (kind === "User" || kind === "Group") fill(value, { apiGroup: rbacGroupName });
}

/** Returns the table cells of a binding of a role. */
export function bindingCells(object: unknown, nowMs: number): unknown[] {
  const subjects = listAt(object, "subjects");
  const names = (kind: string, print: (subject: unknown) => string): string =>
    subjects
      .filter((subject) => textAt(subject, "kind") === kind)
      .map(print)
      .join(", ");
  return [
    nameOf(object),
    `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
    age(object, nowMs),
    names("User", (subject) => textAt(subject, "name")),
    names("Group", (subject) => textAt(subject, "name")),
    names("ServiceAccount", (subject) => `${textAt(subject, "namespace")}/${textAt(subject, "name")}`),
  ];
}

/** Defaults of the subjects and the role reference of both kinds. */
export const bindingDefaults: TypeDefaults = {
  "rbac.v1.RoleRef": { values: { apiGroup: rbacGroupName } },
  "rbac.v1.Subject": { rule: defaultSubject },
};
