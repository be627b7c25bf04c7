// Rules for the texts of a tenant.

import { invalidField, isPrintable, type Problem } from "@homeostat/schema";

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
