// Values of a chart that become environment variables of the program.

/** An environment variable that the program reads by itself, and the value of its chart that sets it. */
export type ChartVariable = PlainVariable | SecretVariable;

/** A value of the chart without which some variables are not set. */
export interface ChartSwitch {
  /** Where the chart has it: `kafka.enabled`. */
  readonly value: string;
  readonly default: boolean;
  readonly help: string;
}

/** A variable with a text, a number or a truth value. */
export interface PlainVariable {
  /** The variable: `POD_CPU_REQUEST`. */
  readonly variable: string;
  /** Where the chart has its value, with dots between: `pods.requests.cpu`. */
  readonly value: string;
  /** What the chart sets it to when nobody says. */
  readonly default: string | number | boolean;
  /** What it is for, as a sentence. */
  readonly help?: string;
  /** Where another chart has it; a value there wins over the default. Its first name must not be one of this chart's. */
  readonly formerly?: string;
  /** What has to be on for it to be set. */
  readonly when?: ChartSwitch;
}

/** A variable whose value is in a Secret. Without the name of a Secret, it is not set. */
export interface SecretVariable {
  readonly variable: string;
  /** Where the chart has the name of the Secret. */
  readonly secret: string;
  /** Where the chart has the key within it. */
  readonly key: string;
  /** The key when nobody says. */
  readonly default: string;
  readonly help?: string;
  readonly when?: ChartSwitch;
}

/** A value that a variable brings into a chart. */
export interface VariableValue {
  readonly path: readonly string[];
  readonly comment: string;
  readonly value: string | number | boolean | null;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The values that variables bring into a chart, each path once. */
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

/** The first names of the places where other charts have values: `config` of `config.pods.cpu`. */
export function formerRoots(variables: readonly ChartVariable[]): string[] {
  const roots = variables.flatMap((each) => ("formerly" in each ? each.formerly.split(".").slice(0, 1) : []));
  return [...new Set(roots)];
}

/** The variables as entries of a container's `env` in a template. Those in `$names` are set by the user. */
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

/** The helper that prints a value: numbers as people write them, and nothing for null. */
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
