import { duplicate, forbidden, invalid, type Problem } from "../problem/problem.ts";

/** The names of a kind in commands, URLs and manifests. */
export interface Names {
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** The names that a definition sets. The others are derived from `kind`. */
export interface NamesDefinition {
  readonly kind: string;
  readonly listKind?: string;
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/**
 * Returns all names of a kind. Names that the definition does not set are derived from the kind: `Sandbox` gets the singular
 * `sandbox`, the plural `sandboxes` and the list kind `SandboxList`.
 */
export function completeNames(definition: NamesDefinition): Names {
  const singular = definition.singular ?? definition.kind.toLowerCase();
  return {
    kind: definition.kind,
    listKind: definition.listKind ?? `${definition.kind}List`,
    plural: definition.plural ?? pluralOf(singular),
    singular,
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
  };
}

function pluralOf(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

const dnsLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const dnsLabelMax = 63;
const labelRule =
  "must be lowercase letters, digits and '-', start with a letter, end with a letter or digit, and have at most 63 characters";

/** Reports whether a string is a DNS label that starts with a letter (RFC 1035), as names of versions and resources must be. */
function isLabel(text: string): boolean {
  return text.length <= dnsLabelMax && dnsLabel.test(text);
}

/** Checks the names of a kind. */
export function checkNames(names: Names): Problem[] {
  const labels: [string, string][] = [
    ["plural", names.plural],
    ["singular", names.singular],
    ...names.shortNames.map((name, index): [string, string] => [`shortNames[${index}]`, name]),
    ...names.categories.map((name, index): [string, string] => [`categories[${index}]`, name]),
  ];
  const kinds: [string, string][] = [
    ["kind", names.kind],
    ["listKind", names.listKind],
  ];
  return [
    ...labels.filter(([, name]) => !isLabel(name)).map(([path, value]) => invalid(path, { value }, labelRule)),
    ...kinds
      .filter(([, name]) => !isLabel(name.toLowerCase()) || !/^[A-Z]/.test(name))
      .map(([path, value]) =>
        invalid(
          path,
          { value },
          "must be CamelCase: letters and digits, starting with an uppercase letter, at most 63 characters",
        ),
      ),
    ...(names.kind === names.listKind ? [invalid("listKind", { value: names.listKind }, "must differ from kind")] : []),
    ...repeated("shortNames", names.shortNames),
    ...repeated("categories", names.categories),
    ...names.shortNames
      .map((name, index): [string, string] => [`shortNames[${index}]`, name])
      .filter(([, name]) => name === names.plural || name === names.singular)
      .map(([path, value]) => invalid(path, { value }, "must differ from the plural and singular name")),
  ];
}

function repeated(path: string, values: readonly string[]): Problem[] {
  return values
    .map((value, index) => ({ value, index }))
    .filter(({ value, index }) => values.indexOf(value) < index)
    .map(({ value, index }) => duplicate(`${path}[${index}]`, { value }));
}

/** Checks the group of a kind. */
export function checkGroup(group: string): Problem[] {
  const labels = group.split(".");
  const isDomain =
    labels.length > 1 && group.length <= 253 && labels.every((label) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label));
  if (!isDomain) {
    return [
      invalid(
        "group",
        { value: group },
        "must be a lowercase domain name with at least one dot, such as shop.example.com",
      ),
    ];
  }
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group)
    ? [forbidden("group", `${group} is reserved for Kubernetes; use a domain of your own`)]
    : [];
}

/** Checks the name of a version. */
export function checkVersionName(path: string, version: string): Problem[] {
  return isLabel(version) ? [] : [invalid(path, { value: version }, labelRule)];
}
