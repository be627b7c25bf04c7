import type { Field } from "../../validation/field.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/** Checks a rule by which a webhook or a policy matches requests. */
export function checkRule(rule: Field): void {
  const list = rule.at("operations");
  if (list.length === 0) list.required();
  if (list.length > 1 && list.items().some((each) => each.text === "*")) {
    list.invalid("if '*' is present, must not specify other operations");
  }
  for (const operation of list.items()) operation.oneOf(operations);
  const [groups, versions] = [rule.at("apiGroups"), rule.at("apiVersions")];
  if (groups.length === 0) groups.required();
  if (groups.length > 1 && groups.items().some((each) => each.text === "*")) {
    groups.invalid("if '*' is present, must not specify other API groups");
  }
  if (versions.length === 0) versions.required();
  if (versions.length > 1 && versions.items().some((each) => each.text === "*")) {
    versions.invalid("if '*' is present, must not specify other API versions");
  }
  for (const version of versions.items()) if (version.text === "") version.required();
  checkResources(rule.at("resources"));
  const scope = rule.at("scope");
  if (scope.isSet) scope.oneOf(["*", "Cluster", "Namespaced"]);
}

function checkResources(resources: Field): void {
  if (resources.length === 0) resources.required();
  const [whole, everywhere] = [new Set<string>(), new Set<string>()];
  let isLastPlain = false;
  for (const each of resources.items()) {
    if (each.text === "") {
      each.required();
      continue;
    }
    const slash = each.text.indexOf("/");
    if (slash < 0) {
      isLastPlain = each.text !== "*";
      continue;
    }
    const [resource, part] = [each.text.slice(0, slash), each.text.slice(slash + 1)];
    if (whole.has(resource)) each.invalid(`if '${resource}/*' is present, must not specify ${each.text}`);
    if (everywhere.has(part)) each.invalid(`if '*/${part}' is present, must not specify ${each.text}`);
    if (part === "*") whole.add(resource);
    if (resource === "*") everywhere.add(part);
  }
  const texts = resources.items().map((each) => each.text);
  if (texts.length > 1 && texts.includes("*/*"))
    resources.invalid("if '*/*' is present, must not specify other resources");
  if (texts.includes("*") && isLastPlain) {
    resources.invalid("if '*' is present, must not specify other resources without subresources");
  }
}
