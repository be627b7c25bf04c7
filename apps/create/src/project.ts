import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";

/** The choices from which the files of a project follow. */
export interface Project {
  /** Name of the operator and of the npm package: `sites`. */
  readonly name: string;
  /** API group of the kind: `example.com`. */
  readonly group: string;
  /** Kind of the custom resource: `Site`. */
  readonly kind: string;
  /** True for a validating webhook. */
  readonly webhooks: boolean;
  /** Version of the packages of Homeostat that the project needs. */
  readonly version: string;
}

/** A choice that has a rule. */
export type Choice = "name" | "group" | "kind";

/** Kinds of Kubernetes whose names the generated program uses. */
const usedKinds: ReadonlySet<string> = new Set(["ConfigMap", "CustomResourceDefinition"]);

const nameLengthMax = 40;

/** Returns the problems of a choice as sentences; none if it is valid. */
export function problemsOf(choice: Choice, text: string): readonly string[] {
  const quoted = JSON.stringify(text);
  switch (choice) {
    case "name":
      if (dnsLabelProblems(text).length > 0)
        return [`The name ${quoted} must consist of lower case letters, digits and "-", such as sites.`];
      return text.length > nameLengthMax ? [`The name ${quoted} has more than ${nameLengthMax} characters.`] : [];
    case "group":
      if (dnsSubdomainProblems(text).length > 0 || !text.includes("."))
        return [`The group ${quoted} must be a domain in lower case, such as example.com.`];
      return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(text)
        ? [`The group ${quoted} is reserved for Kubernetes. Use a domain that you own.`]
        : [];
    case "kind":
      if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(text))
        return [`The kind ${quoted} must be a word that starts with an upper case letter, such as Site.`];
      return usedKinds.has(text) ? [`The kind ${quoted} is a kind of Kubernetes. Choose another one.`] : [];
  }
}

/** Returns the name of a kind with a lower case letter at the start, for variables: `webSite`. */
export function variableOf(kind: string): string {
  return kind.replace(/^[A-Z]+(?=[A-Z][a-z]|\d|$)|^[A-Z]/, (start) => start.toLowerCase());
}

/** Returns the name of a kind in lower case with hyphens, for files: `web-site`. */
export function fileNameOf(kind: string): string {
  return kind.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase();
}
