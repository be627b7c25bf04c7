// Rules for the texts of a tenant, and for the metadata of its namespace.

import { qualifiedNameProblems } from "@homeostat/core";
import { entryPath, invalidField, isPrintable, metadataProblems, type Problem } from "@homeostat/schema";
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
    yield invalidField("spec.displayName", displayName, "must not contain control characters");
  }
  if (!isPrintable(description.replaceAll("\n", ""))) {
    yield invalidField("spec.description", description, "must not contain control characters, except line breaks");
  }
  if (version !== undefined && !semanticVersion.test(version)) {
    yield invalidField("spec.version", version, "must be a semantic version, such as 1.4.2 or v1.4.2");
  }
}

/** Domains of Kubernetes and of the operator itself. No setting opens them: they contain the Pod Security labels. */
const reservedDomains = ["kubernetes.io", "k8s.io", "neurallog.io"];

export function* namespaceMetadataProblems(
  metadata: { readonly labels?: UserMap | undefined; readonly annotations?: UserMap | undefined } = {},
  { reservedNamespaceKeys }: Pick<RuleSettings, "reservedNamespaceKeys">,
): Iterable<Problem> {
  yield* metadataProblems("spec.namespaceMetadata", metadata, { reservedDomains });
  for (const part of ["labels", "annotations"] as const) {
    for (const key of Object.keys(metadata[part] ?? {})) {
      const reserved = reservedNamespaceKeys.find((each) => isUnder(key, each) || key.toLowerCase() === each);
      const isReported = qualifiedNameProblems(key).length > 0 || reservedDomains.some((each) => isUnder(key, each));
      if (reserved === undefined || isReported) continue;
      const path = entryPath(`spec.namespaceMetadata.${part}`, key);
      const detail = `${reserved} is reserved by --reserved-namespace-keys of this operator; ask a cluster administrator`;
      yield invalidField(path, key, detail);
    }
  }
}

/** Reports whether the prefix of a key is a domain, or below it. Annotation keys may have capitals. */
function isUnder(key: string, domain: string): boolean {
  const slash = key.indexOf("/");
  const prefix = key.slice(0, Math.max(0, slash)).toLowerCase();
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
