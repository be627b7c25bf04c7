// What users write in their own words, or by the grammar of others.

import { dnsLabelProblems, dnsSubdomainProblems, labelValueProblems, qualifiedNameProblems } from "@homeostat/core";
import { parseImage } from "../settings/images.ts";
import { at, invalid, type Problem } from "./problem.ts";

/** A map of texts that came from a user. */
export type UserMap = Readonly<Record<string, string>>;

// Without what follows a plus: it becomes the tag of an image, which has none.
const semanticVersion = /^v?(?:0|[1-9]\d{0,15})\.(?:0|[1-9]\d{0,15})\.(?:0|[1-9]\d{0,15})(?:-[0-9A-Za-z.-]{1,64})?$/;

/** That a text has nothing in it that does something, such as the end of a line or a bell. */
export function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

/** What is wrong with how a tenant describes itself. */
export function* wordProblems(spec: {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
}): Iterable<Problem> {
  const { displayName = "", description = "", version } = spec;
  if (!isPrintable(displayName)) {
    yield invalid("spec.displayName", displayName, "must not have control characters");
  }
  if (!isPrintable(description.replaceAll("\n", ""))) {
    yield invalid("spec.description", description, "must not have control characters, except for ends of lines");
  }
  if (version !== undefined && !semanticVersion.test(version)) {
    yield invalid("spec.version", version, "must be a semantic version, such as 1.4.2 or v1.4.2");
  }
}

/** What is wrong with an image. */
export function* imageProblems(path: string, image: string | undefined): Iterable<Problem> {
  if (image === undefined || parseImage(image) !== undefined) return;
  yield invalid(path, image, "must be an image, such as registry.example.com/name:tag, of at most 255 characters");
}

/** What is wrong with the names of objects. */
export function* objectNameProblems(path: string, names: readonly string[] = []): Iterable<Problem> {
  for (const [index, name] of names.entries()) {
    if (dnsSubdomainProblems(name).length > 0)
      yield invalid(`${path}[${index}]`, name, "must be the name of an object");
  }
}

/** What is wrong with the names of namespaces. */
export function* namespaceProblems(path: string, names: readonly string[] = []): Iterable<Problem> {
  for (const [index, name] of names.entries()) {
    if (dnsLabelProblems(name).length > 0) yield invalid(`${path}[${index}]`, name, "must be the name of a namespace");
  }
}

/** What is wrong with labels that something is selected by. */
export function* labelProblems(path: string, labels: UserMap = {}): Iterable<Problem> {
  for (const [key, value] of Object.entries(labels)) {
    if (qualifiedNameProblems(key).length > 0) yield invalid(at(path, key), key, "must be the name of a label");
    if (labelValueProblems(value).length > 0) yield invalid(at(path, key), value, "must be the value of a label");
  }
}

const ownedDomains = ["kubernetes.io", "k8s.io", "neurallog.io"];

/** What is wrong with the labels and annotations that a tenant wants for its namespace. */
export function* namespaceMetadataProblems(
  metadata: { readonly labels?: UserMap | undefined; readonly annotations?: UserMap | undefined } = {},
): Iterable<Problem> {
  for (const part of ["labels", "annotations"] as const) {
    const path = `spec.namespaceMetadata.${part}`;
    for (const [key, value] of Object.entries(metadata[part] ?? {})) {
      const [domain = ""] = key.includes("/") ? key.toLowerCase().split("/") : [];
      const owned = ownedDomains.find((each) => domain === each || domain.endsWith(`.${each}`));
      if (qualifiedNameProblems(key).length > 0) {
        yield invalid(at(path, key), key, `must be the name of ${part === "labels" ? "a label" : "an annotation"}`);
      } else if (owned !== undefined) {
        yield invalid(at(path, key), key, `names under ${owned} are not for tenants`);
      }
      if (part === "labels" && labelValueProblems(value).length > 0) {
        yield invalid(at(path, key), value, "must be the value of a label");
      }
    }
  }
}
