// Rules for free texts, names, images and labels.

import { dnsLabelProblems, dnsSubdomainProblems, labelValueProblems, qualifiedNameProblems } from "@homeostat/core";
import { entryPath, invalidField, type Problem } from "@homeostat/schema";
import { parseImage } from "../settings/images.ts";

export type UserMap = Readonly<Record<string, string>>;

// Without build metadata: the version becomes an image tag, which must not contain a plus sign.
const semanticVersion = /^v?(?:0|[1-9]\d{0,15})\.(?:0|[1-9]\d{0,15})\.(?:0|[1-9]\d{0,15})(?:-[0-9A-Za-z.-]{1,64})?$/;

/** Reports whether a text has no control characters, line separators or unpaired surrogates. */
export function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

export function* textProblems(spec: {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
}): Iterable<Problem> {
  const { displayName = "", description = "", version } = spec;
  if (!isPrintable(displayName)) {
    yield invalidField("spec.displayName", displayName, "must not have control characters");
  }
  if (!isPrintable(description.replaceAll("\n", ""))) {
    yield invalidField("spec.description", description, "must not have control characters, except line breaks");
  }
  if (version !== undefined && !semanticVersion.test(version)) {
    yield invalidField("spec.version", version, "must be a semantic version, such as 1.4.2 or v1.4.2");
  }
}

export function* imageProblems(path: string, image: string | undefined): Iterable<Problem> {
  if (image === undefined || parseImage(image) !== undefined) return;
  yield invalidField(path, image, "must be an image, such as registry.example.com/name:tag, of at most 255 characters");
}

export function* objectNameProblems(path: string, names: readonly string[] = []): Iterable<Problem> {
  for (const [index, name] of names.entries()) {
    if (dnsSubdomainProblems(name).length > 0)
      yield invalidField(`${path}[${index}]`, name, "must be the name of an object");
  }
}

export function* namespaceProblems(path: string, names: readonly string[] = []): Iterable<Problem> {
  for (const [index, name] of names.entries()) {
    if (dnsLabelProblems(name).length > 0)
      yield invalidField(`${path}[${index}]`, name, "must be the name of a namespace");
  }
}

export function* labelProblems(path: string, labels: UserMap = {}): Iterable<Problem> {
  for (const [key, value] of Object.entries(labels)) {
    if (qualifiedNameProblems(key).length > 0)
      yield invalidField(entryPath(path, key), key, "must be the name of a label");
    if (labelValueProblems(value).length > 0)
      yield invalidField(entryPath(path, key), value, "must be the value of a label");
  }
}

const reservedDomains = ["kubernetes.io", "k8s.io", "neurallog.io"];

export function* namespaceMetadataProblems(
  metadata: { readonly labels?: UserMap | undefined; readonly annotations?: UserMap | undefined } = {},
): Iterable<Problem> {
  for (const part of ["labels", "annotations"] as const) {
    const path = `spec.namespaceMetadata.${part}`;
    for (const [key, value] of Object.entries(metadata[part] ?? {})) {
      const [domain = ""] = key.includes("/") ? key.toLowerCase().split("/") : [];
      const reserved = reservedDomains.find((each) => domain === each || domain.endsWith(`.${each}`));
      if (qualifiedNameProblems(key).length > 0) {
        yield invalidField(
          entryPath(path, key),
          key,
          `must be the name of ${part === "labels" ? "a label" : "an annotation"}`,
        );
      } else if (reserved !== undefined) {
        yield invalidField(entryPath(path, key), key, `keys under ${reserved} are reserved`);
      }
      if (part === "labels" && labelValueProblems(value).length > 0) {
        yield invalidField(entryPath(path, key), value, "must be the value of a label");
      }
    }
  }
}
