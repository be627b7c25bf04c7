// Validation rules that several kinds share. A schema cannot express them, or only with worse messages. Each function yields the
// problems of one field.

import {
  type DeepReadonly,
  dnsLabelProblems,
  dnsSubdomainProblems,
  imageLengthMax,
  isQuantity,
  labelValueProblems,
  parseImage,
  qualifiedNameProblems,
  type Quantity,
  quantityFromJSON,
} from "@homeostat/core";
import { entryPath, invalidField } from "./field-problems.ts";
import type { Problem } from "./problem.ts";

/** Reports whether a string has no control characters, line separators or unpaired surrogates. */
export function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

/** Checks an image reference. */
export function* imageProblems(path: string, image: string | undefined): Iterable<Problem> {
  if (image === undefined || parseImage(image) !== undefined) return;
  const example = `such as registry.example.com/name:tag, of at most ${imageLengthMax} characters`;
  yield invalidField(path, image, `must be an image reference, ${example}`);
}

/** Checks a list of object names. */
export function* objectNameProblems(path: string, names: readonly string[] = []): Iterable<Problem> {
  for (const [index, name] of names.entries()) {
    const isName = dnsSubdomainProblems(name).length === 0;
    if (!isName) yield invalidField(`${path}[${index}]`, name, "must be a valid object name");
  }
}

/** Checks a list of namespace names. */
export function* namespaceNameProblems(path: string, names: readonly string[] = []): Iterable<Problem> {
  for (const [index, name] of names.entries()) {
    const isName = dnsLabelProblems(name).length === 0;
    if (!isName) yield invalidField(`${path}[${index}]`, name, "must be a valid namespace name");
  }
}

/** Checks a map of labels. */
export function* labelProblems(path: string, labels: Readonly<Record<string, string>> = {}): Iterable<Problem> {
  for (const [key, value] of Object.entries(labels)) {
    const entry = entryPath(path, key);
    if (qualifiedNameProblems(key).length > 0) yield invalidField(entry, key, "must be a valid label key");
    if (labelValueProblems(value).length > 0) yield invalidField(entry, value, "must be a valid label value");
  }
}

/**
 * Checks labels and annotations of a spec that the operator copies to other objects. Rejects keys under a reserved domain or a
 * subdomain of one, because Kubernetes or the operator interprets them.
 */
export function* metadataProblems(
  path: string,
  metadata: {
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  } = {},
  { reservedDomains = [] }: { readonly reservedDomains?: readonly string[] } = {},
): Iterable<Problem> {
  for (const part of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(metadata[part] ?? {})) {
      const entry = entryPath(`${path}.${part}`, key);
      const [domain = ""] = key.includes("/") ? key.toLowerCase().split("/") : [];
      const reserved = reservedDomains.find((each) => domain === each || domain.endsWith(`.${each}`));
      if (qualifiedNameProblems(key).length > 0) {
        yield invalidField(entry, key, `must be a valid ${part === "labels" ? "label" : "annotation"} key`);
      } else if (reserved !== undefined) {
        yield invalidField(entry, key, `keys under ${reserved} are reserved`);
      }
      if (part === "labels" && labelValueProblems(value).length > 0) {
        yield invalidField(entry, value, "must be a valid label value");
      }
    }
  }
}

const quantityLengthMax = 64;

/** Parses a quantity of a spec. Returns undefined if it is missing or invalid. */
export function quantityIn(value: string | number | undefined): Quantity | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? quantityFromJSON(value) : undefined;
  return value.length <= quantityLengthMax && isQuantity(value) ? quantityFromJSON(value) : undefined;
}

/** Checks that a quantity is valid and positive, and at least `min`. */
export function* quantityProblems(
  path: string,
  value: string | number | undefined,
  { min }: { readonly min?: string } = {},
): Iterable<Problem> {
  if (value === undefined) return;
  const quantity = quantityIn(value);
  if (quantity === undefined || quantity.sign() <= 0) yield invalidField(path, value, "must be a positive quantity");
  else if (min !== undefined && quantity.isLessThan(quantityFromJSON(min))) {
    yield invalidField(path, value, `must be at least ${min}`);
  }
}

/** Limit and request of one resource, such as cpu. */
export interface LimitAndRequest {
  readonly limit?: string | number | undefined;
  readonly request?: string | number | undefined;
}

/** Checks that a limit and a request are valid and positive, and that the request does not exceed the limit. */
export function* limitProblems(
  paths: { readonly limit: string; readonly request: string },
  { limit, request }: DeepReadonly<LimitAndRequest> = {},
): Iterable<Problem> {
  yield* quantityProblems(paths.limit, limit);
  yield* quantityProblems(paths.request, request);
  const most = quantityIn(limit);
  if (most !== undefined && quantityIn(request)?.isGreaterThan(most) === true) {
    yield invalidField(paths.request, request, "request must not exceed limit");
  }
}

/** Checks limit and request of each resource. */
export function* resourceProblems(
  path: string,
  resources: Readonly<Record<string, DeepReadonly<LimitAndRequest> | undefined>> = {},
): Iterable<Problem> {
  for (const [name, pair] of Object.entries(resources)) {
    yield* limitProblems({ limit: `${path}.${name}.limit`, request: `${path}.${name}.request` }, pair ?? {});
  }
}
