import type { Operator } from "../definition/operator.ts";

/** Returns `NOTES.txt`, which helm prints after an installation. */
export function notesTemplate({ name, version, resources }: Operator): string {
  const kinds = resources.map(({ plural, group }) => `  kubectl get ${plural}.${group} --all-namespaces`);
  return `${name} ${version} is installed in namespace {{ .Release.Namespace }}.

Check that it is ready:

  kubectl --namespace {{ .Release.Namespace }} rollout status deployment/{{ include "${name}.instance" . }}
${kinds.length === 0 ? "" : `\nList its custom resources:\n\n${kinds.join("\n")}\n`}{{- if not .Values.webhook.enabled }}

Webhooks are disabled: objects are not validated on admission, and only the storage version of each kind is served.
{{- end }}
{{- if .Values.crds.keep }}

Uninstalling the chart keeps its CRDs and all of their objects. Delete the CRDs manually to remove both.
{{- end }}
`;
}
