// Rules for the texts of a tenant, and for the metadata of its namespace.

import { labelValueProblems, qualifiedNameProblems } from "@homeostat/core";
import { entryPath, invalidField, isPrintable, type Problem } from "@homeostat/schema";
import type { RuleSettings } from "../settings/settings.ts";

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

/** Domains of Kubernetes and of the operator itself. No setting opens them: they contain the Pod Security labels. */
const ownDomains = ["kubernetes.io", "k8s.io", "neurallog.io"];

export function* namespaceMetadataProblems(
  metadata: { readonly labels?: UserMap | undefined; readonly annotations?: UserMap | undefined } = {},
  { reservedNamespaceKeys }: Pick<RuleSettings, "reservedNamespaceKeys">,
): Iterable<Problem> {
  for (const part of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(metadata[part] ?? {})) {
      const path = entryPath(`spec.namespaceMetadata.${part}`, key);
      const reserved = ownDomains.find((each) => isUnder(key, each));
      const privileged = reservedNamespaceKeys.find((each) => isUnder(key, each) || key.toLowerCase() === each);
      if (qualifiedNameProblems(key).length > 0) {
        yield invalidField(path, key, `must be the name of ${part === "labels" ? "a label" : "an annotation"}`);
      } else if (reserved !== undefined) {
        yield invalidField(path, key, `keys under ${reserved} are reserved`);
      } else if (privileged !== undefined) {
        const detail = `${privileged} is reserved by --reserved-namespace-keys of this operator; ask a cluster administrator`;
        yield invalidField(path, key, detail);
      }
      if (part === "labels" && labelValueProblems(value).length > 0) {
        yield invalidField(path, value, "must be the value of a label");
      }
    }
  }
}

/** Reports whether the prefix of a key is a domain, or below it. Annotation keys may have capitals. */
function isUnder(key: string, domain: string): boolean {
  const slash = key.indexOf("/");
  const prefix = key.slice(0, Math.max(0, slash)).toLowerCase();
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
