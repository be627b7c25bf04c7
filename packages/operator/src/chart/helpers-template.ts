import type { Operator } from "../definition/operator.ts";
import { aliasTemplate } from "./aliases.ts";
import { textHelper } from "./variables.ts";

/** Returns `_helpers.tpl`: names, labels and annotations that several templates share. */
export function helpersTemplate({ name, version, chartVariables, chartAliases }: Operator): string {
  const label = version.replace("+", "_");
  return `{{- define "${name}.instance" -}}
{{- .Values.nameOverride | default "${name}" -}}
{{- end }}

{{- define "${name}.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "${name}.instance" .) -}}
{{- end }}

{{- define "${name}.image" -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest -}}
@{{ .Values.image.digest }}
{{- else -}}
:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "${name}.selectorLabels" -}}
app.kubernetes.io/name: ${name}
app.kubernetes.io/instance: {{ include "${name}.instance" . | quote }}
{{- end }}

{{- define "${name}.podLabels" -}}
{{ include "${name}.selectorLabels" . }}
app.kubernetes.io/version: ${JSON.stringify(label)}
{{- with (merge (dict) .Values.podLabels .Values.labels) }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "${name}.labels" -}}
{{ include "${name}.selectorLabels" . }}
app.kubernetes.io/version: ${JSON.stringify(label)}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Annotations of an object: those of every object and "more" of its own. Empty if there are none. */}}
{{- define "${name}.annotations" -}}
{{- with (merge (dict) (.more | default dict) .root.Values.annotations) -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end }}
${chartVariables.length === 0 ? "" : textHelper(name)}${aliasTemplate(name, chartAliases)}`;
}
