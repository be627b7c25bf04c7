// Aliases for values of an earlier chart, so that existing values files keep working. A helper copies them to the corresponding
// values of this chart before anything else is rendered.

import type { ChartAlias } from "../installation/chart-alias.ts";

/** Returns the name of the helper that moves aliased values. */
export function aliasHelper(chart: string): string {
  return `${chart}.former`;
}

/** Returns the first line of every template, which calls the helper; empty if the chart has no aliases. */
export function aliasCall(chart: string, aliases: readonly ChartAlias[]): string {
  return aliases.length === 0 ? "" : `{{- include ${JSON.stringify(aliasHelper(chart))} $ -}}\n`;
}

/** Returns the helper that moves aliased values. It is idempotent, because every template calls it. */
export function aliasTemplate(chart: string, aliases: readonly ChartAlias[]): string {
  if (aliases.length === 0) return "";
  return `
{{- define ${JSON.stringify(aliasHelper(chart))} -}}
${aliases.map(movedValue).join("")}{{- end }}
`;
}

function movedValue({ value, becomes }: ChartAlias): string {
  const { when = "true" } = becomes;
  const isSet = `and (not (kindIs "invalid" $value)) (${when})`;
  return `{{- $value := ${reading(value)} -}}
{{- if ${isSet} -}}
${"refusal" in becomes ? `{{- fail ${JSON.stringify(becomes.refusal)} -}}` : moving(becomes)}
{{- end -}}
`;
}

/** Returns an expression that reads a value whose parents may be missing. */
function reading(path: string): string {
  const [root = "", ...steps] = path.split(".");
  if (steps.length === 0) return `.Values.${root}`;
  return `dig ${steps.map((step) => JSON.stringify(step)).join(" ")} nil (.Values.${root} | default dict)`;
}

function moving({ to, as = "$value" }: { readonly to: string; readonly as?: string }): string {
  const steps = to.split(".");
  const last = steps.pop() ?? "";
  return `{{- $_ := set ${[".Values", ...steps].join(".")} ${JSON.stringify(last)} (${as}) -}}`;
}
