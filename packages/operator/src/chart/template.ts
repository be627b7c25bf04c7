// Helm templates generated from the same manifests that are installed without helm. Fields that depend on chart values hold
// a marker; after the manifest is printed as YAML, each marker is replaced by an action of the template language.

import { toYaml } from "@homeostat/schema";

/** Returns a text that occurs in no manifest and that YAML prints without quotes. */
export function marker(name: string): string {
  return `HelmMarker-${name}-`;
}

/** Replacements of markers, by the name of the marker. */
export interface Replacements {
  /** Replacements of the marker within a text: `{{ include "x.instance" $ }}`. */
  readonly inline: Readonly<Record<string, string>>;
  /** Replacements of a whole line `key: marker`; the function gets the indentation of that line. */
  readonly lines: Readonly<Record<string, (indent: string) => string>>;
}

/** Returns an object as a template. Double braces in its own texts are escaped, or helm would evaluate them. */
export function templateOf(object: object, { inline, lines }: Replacements): string {
  const printed = toYaml(object).replaceAll("{{", '{{ "{{" }}');
  const text = printed
    .split("\n")
    .map((line) => {
      const match = /^( *)[\w-]+: HelmMarker-(\w+)-$/.exec(line);
      const replace = match === null ? undefined : lines[match[2] ?? ""];
      return replace === undefined ? line : replace(match?.[1] ?? "");
    })
    .join("\n");
  return Object.entries(inline).reduce(
    (before, [name, action]) =>
      before
        // A value that consists of the action alone is quoted, or YAML would read a name such as 1e3 as a number.
        .replaceAll(new RegExp(`(?<=: |- )${marker(name)}$`, "gm"), action.replace(/ }}$/, " | quote }}"))
        .replaceAll(marker(name), action),
    text,
  );
}

/** Wraps a template in a condition. */
export function onlyIf(condition: string, template: string): string {
  return `{{- if ${condition} }}\n${template}{{- end }}\n`;
}
