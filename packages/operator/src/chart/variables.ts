// Chart values that are passed to the program as environment variables.

/** An environment variable that the program reads directly, and the chart value that sets it. */
export type ChartVariable = PlainVariable | SecretVariable;

/** A chart value that turns some variables on. */
export interface ChartSwitch {
  /** The path of the chart value: `kafka.enabled`. */
  readonly value: string;
  readonly default: boolean;
  readonly help: string;
}

/** A variable with a string, a number or a boolean. */
export interface PlainVariable {
  /** The name of the variable: `POD_CPU_REQUEST`. */
  readonly variable: string;
  /** The path of the chart value, separated by dots: `pods.requests.cpu`. */
  readonly value: string;
  readonly default: string | number | boolean;
  /** The comment in `values.yaml`, a sentence. */
  readonly help?: string;
  /**
   * The path of the value in another chart, which takes precedence over the default. Its first segment must not be the name of a
   * value of this chart.
   */
  readonly formerly?: string;
  /** Sets the variable only while this switch is on. */
  readonly when?: ChartSwitch;
}

/** A variable whose value is in a Secret. While the name of the Secret is empty, the variable is not set. */
export interface SecretVariable {
  readonly variable: string;
  /** The path of the chart value with the name of the Secret. */
  readonly secret: string;
  /** The path of the chart value with the key in the Secret. */
  readonly key: string;
  /** The default of the key. */
  readonly default: string;
  readonly help?: string;
  readonly when?: ChartSwitch;
}

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
