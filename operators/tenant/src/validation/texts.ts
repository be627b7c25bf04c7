// Rules for the texts of a tenant, and for the metadata of its namespace.

import { labelValueProblems, qualifiedNameProblems } from "@homeostat/core";
import { entryPath, invalidField, isPrintable, type Problem } from "@homeostat/schema";

type UserMap = Readonly<Record<string, string>>;

// Without build metadata: the version becomes an image tag, which must not contain a plus sign.
const semanticVersion = /^v?(?:0|[1-9]\d{0,15})\.(?:0|[1-9]\d{0,15})\.(?:0|[1-9]\d{0,15})(?:-[0-9A-Za-z.-]{1,64})?$/;

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

const reservedDomains = ["kubernetes.io", "k8s.io", "neurallog.io"];

export function* namespaceMetadataProblems(
  metadata: { readonly labels?: UserMap | undefined; readonly annotations?: UserMap | undefined } = {},
): Iterable<Problem> {
  for (const part of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(metadata[part] ?? {})) {
      const path = entryPath(`spec.namespaceMetadata.${part}`, key);
      const [domain = ""] = key.includes("/") ? key.toLowerCase().split("/") : [];
      const reserved = reservedDomains.find((each) => domain === each || domain.endsWith(`.${each}`));
      if (qualifiedNameProblems(key).length > 0) {
        yield invalidField(path, key, `must be the name of ${part === "labels" ? "a label" : "an annotation"}`);
      } else if (reserved !== undefined) {
        yield invalidField(path, key, `keys under ${reserved} are reserved`);
      }
      if (part === "labels" && labelValueProblems(value).length > 0) {
        yield invalidField(path, value, "must be the value of a label");
      }
    }
  }
}
