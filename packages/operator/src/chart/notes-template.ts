import type { Operator } from "../definition/operator.ts";

/** What helm prints after an installation: where it runs, how to see that it does, and what to do next. */
export function notesTemplate({ name, version, resources }: Operator): string {
  const kinds = resources.map(({ plural, group }) => `  kubectl get ${plural}.${group} --all-namespaces`);
  return `${name} ${version} runs in the namespace {{ .Release.Namespace }}.

See whether it is ready:

  kubectl --namespace {{ .Release.Namespace }} rollout status deployment/{{ include "${name}.instance" . }}
${kinds.length === 0 ? "" : `\nSee what it looks after:\n\n${kinds.join("\n")}\n`}{{- if not .Values.webhook.enabled }}

Webhooks are off: objects are not checked on their way in, and only the stored version of each kind is served.
{{- end }}
{{- if .Values.crds.keep }}

Uninstalling leaves the definitions of its kinds, and so all of their objects. Delete the definitions by hand to lose both.
{{- end }}
`;
}
