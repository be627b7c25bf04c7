// Values of another chart that people have in their files: they are moved to where this chart has them, before anything else.

/** A value of another chart, and what becomes of it. */
export interface ChartAlias {
  /** Where the other chart has it, with dots between: `replicaCount`. */
  readonly value: string;
  /** What it is, as a sentence. */
  readonly help: string;
  /** What may be given, as a JSON schema. Nothing may always be given. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly becomes: AliasEffect;
}

/** What becomes of a value that is set. */
export type AliasEffect =
  /** It is the value of this chart at `to`; `as` is an expression of the template language over `$value`. */
  | { readonly to: string; readonly as?: string; readonly when?: string }
  /** The chart is not installed: what is asked for cannot be done. `when` is an expression over `$value`. */
  | { readonly refusal: string; readonly when: string };

/** The name of the helper that moves values. Templates begin with it. */
export function aliasHelper(chart: string): string {
  return `${chart}.former`;
}

/** The line that templates begin with, where a chart has aliases. */
export function aliasCall(chart: string, aliases: readonly ChartAlias[]): string {
  return aliases.length === 0 ? "" : `{{- include ${JSON.stringify(aliasHelper(chart))} $ -}}\n`;
}

/** The helper that moves values to where this chart has them. Doing so twice changes nothing more. */
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

/** Reads a value whose place may not be there. */
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
