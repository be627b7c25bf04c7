// What our code makes of a definition, without a server around it.

import {
  applyKindDefaults,
  checkChangedDefinition,
  checkNewDefinition,
  decodeRequestObject,
  definitionWarnings,
  invalidStatus,
  prepareChangedDefinition,
  prepareNewDefinition,
} from "@homeostat/apiserver";
import { isRecord, type JsonRecord } from "@homeostat/core";

/** What became of a definition: stored in this form, or refused with this answer. */
export interface Verdict {
  readonly stored?: unknown;
  readonly refusal?: unknown;
  readonly warnings: readonly string[];
}

const expected = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

/** Reads a body as the endpoint of definitions does. */
export function completed(body: JsonRecord): { object: JsonRecord; complaints: readonly string[] } {
  const { object, complaints } = decodeRequestObject(JSON.stringify(body), expected);
  return { object: applyKindDefaults("apiextensions.k8s.io", "v1", expected.kind, object), complaints };
}

/** Our answer to a creation. */
export function created(body: JsonRecord): Verdict {
  const { object, complaints } = completed(body);
  prepareNewDefinition(object);
  const problems = checkNewDefinition(object);
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  if (problems.length > 0) return { refusal: refusal(metadata["name"], problems), warnings: complaints };
  return { stored: object, warnings: [...complaints, ...definitionWarnings(object, undefined)] };
}

/** Our answer to an update of `old`. */
export function changed(body: JsonRecord, old: JsonRecord): Verdict {
  const { object, complaints } = completed(body);
  prepareChangedDefinition(object, old, "");
  const problems = checkChangedDefinition(object, old);
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  if (problems.length > 0) return { refusal: refusal(metadata["name"], problems), warnings: complaints };
  return { stored: object, warnings: [...complaints, ...definitionWarnings(object, old)] };
}

function refusal(name: unknown, problems: Parameters<typeof invalidStatus>[2]): unknown {
  return invalidStatus(
    { group: "apiextensions.k8s.io", kind: expected.kind },
    typeof name === "string" ? name : "",
    problems,
  );
}
