// Helm templates made from the very manifests that are installed without helm: places that depend on values hold a
// marker, and after printing each marker is replaced by an action of the template language.

import { toYaml } from "@homeostat/schema";

/** A word that no manifest holds and that YAML prints as it is. */
export function marker(name: string): string {
  return `HelmMarker-${name}-`;
}

/** What markers become. */
export interface Replacements {
  /** Within a text: `{{ include "x.instance" $ }}`. */
  readonly inline: Readonly<Record<string, string>>;
  /** In place of a whole line `key: marker`; the function gets the indent of that line. */
  readonly lines: Readonly<Record<string, (indent: string) => string>>;
}

/** An object as a template. Braces in its own texts are kept from being taken for actions. */
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
        // A value that is nothing but the action is quoted, or a name such as 1e3 would become a number.
        .replaceAll(new RegExp(`(?<=: |- )${marker(name)}$`, "gm"), action.replace(/ }}$/, " | quote }}"))
        .replaceAll(marker(name), action),
    text,
  );
}

/** A template within a condition. */
export function onlyIf(condition: string, template: string): string {
  return `{{- if ${condition} }}\n${template}{{- end }}\n`;
}
