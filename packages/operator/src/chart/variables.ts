// Chart values that are passed to the program as environment variables.

import type { ChartVariable, PlainVariable, SecretVariable } from "../installation/chart-variable.ts";

/** A chart value that a variable defines. */
export interface VariableValue {
  readonly path: readonly string[];
  readonly comment: string;
  readonly value: string | number | boolean | null;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Returns the chart values of variables, each path once. */
export function variableValues(variables: readonly ChartVariable[]): VariableValue[] {
  const found = variables.flatMap((each) => [
    ...(each.when === undefined ? [] : plainValue(each.when)),
    ...("secret" in each ? secretValues(each) : plainValue(each)),
  ]);
  const paths = found.map(({ path }) => path.join("."));
  return found.filter((_, index) => paths.indexOf(paths[index] ?? "") === index);
}

function plainValue({
  value,
  help = "",
  default: fallback,
}: Pick<PlainVariable, "value" | "help" | "default">): VariableValue[] {
  const type =
    typeof fallback === "boolean" ? "boolean" : typeof fallback === "number" ? "integer" : ["string", "number"];
  return [{ path: value.split("."), comment: help, value: fallback, schema: { type } }];
}

function secretValues({ secret, key, help = "", default: fallback }: SecretVariable): VariableValue[] {
  const schema = { type: "string" };
  return [
    { path: secret.split("."), comment: help, value: "", schema },
    { path: key.split("."), comment: "", value: fallback, schema },
  ];
}

/** Returns the first segments of the `formerly` paths: `config` of `config.pods.cpu`. */
export function formerRoots(variables: readonly ChartVariable[]): string[] {
  const roots = variables.flatMap((each) => ("formerly" in each ? each.formerly.split(".").slice(0, 1) : []));
  return [...new Set(roots)];
}

/** Returns the template of the variables in a container's `env`. Variables in `$names` are skipped: the user sets them. */
export function variableEntries(variables: readonly ChartVariable[], chart: string): string {
  return variables
    .map((each) => {
      const isUnset = `not (has ${JSON.stringify(each.variable)} $names)`;
      const isFree = each.when === undefined ? isUnset : `and .Values.${each.when.value} (${isUnset})`;
      const name = `            - name: ${each.variable}\n`;
      if ("secret" in each) {
        return `            {{- if and .Values.${each.secret} (${isFree}) }}
${name}              valueFrom:
                secretKeyRef:
                  name: {{ .Values.${each.secret} | quote }}
                  key: {{ .Values.${each.key} | quote }}
            {{- end }}
`;
      }
      return `            {{- if ${isFree} }}
${name}              value: {{ include "${chart}.text" (dict "value" (${valueOf(each)})) | quote }}
            {{- end }}
`;
    })
    .join("");
}

function valueOf({ value, formerly }: PlainVariable): string {
  if (formerly === undefined) return `.Values.${value}`;
  const [root, ...steps] = formerly.split(".");
  return `dig ${steps.map((step) => JSON.stringify(step)).join(" ")} .Values.${value} .Values.${root}`;
}

/** Returns the helper that prints a value: integers without an exponent, since helm parses numbers as float64, and nothing for null. */
export function textHelper(chart: string): string {
  return `
{{- define "${chart}.text" -}}
{{- if kindIs "float64" .value -}}
{{- if eq .value (floor .value) }}{{ int64 .value }}{{ else }}{{ .value }}{{ end -}}
{{- else if not (kindIs "invalid" .value) -}}
{{- .value -}}
{{- end -}}
{{- end }}
`;
}
