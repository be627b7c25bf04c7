import type { Operator } from "../definition/operator.ts";
import { ports } from "../installation/names.ts";
import type { ServicePort } from "../installation/program-ports.ts";

function portRule({ name, port, endPort }: ServicePort): string {
  const end = endPort === undefined ? "" : `          endPort: ${endPort}\n`;
  return `    - ports:
        - protocol: TCP
          port: ${port}
${end}      {{- with .Values.networkPolicy.portsFrom.${name} }}
      from:
        {{- toYaml . | nindent 8 }}
      {{- end }}
`;
}

/** Returns the template of the NetworkPolicy. It must render to what `networkPolicyManifest` returns. */
export function networkPolicyTemplate(
  { name, installation }: Operator,
  { hasWebhooks }: { hasWebhooks: boolean },
): string {
  const webhook = `        {{- if .Values.webhook.enabled }}
        - protocol: TCP
          port: {{ int64 .Values.webhook.port }}
        {{- end }}
`;
  return `{{- if .Values.networkPolicy.enabled }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "${name}.instance" $ | quote }}
  namespace: {{ $.Release.Namespace | quote }}
  labels:
    {{- include "${name}.labels" $ | nindent 4 }}
  {{- include "${name}.annotations" (dict "root" $) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "${name}.selectorLabels" $ | nindent 6 }}
  policyTypes:
    - Ingress
    {{- if .Values.networkPolicy.limitEgress }}
    - Egress
    {{- end }}
  ingress:
    - ports:
        - protocol: TCP
          port: ${ports.health}
${hasWebhooks ? webhook : ""}    {{- if .Values.metrics.enabled }}
    - ports:
        - protocol: TCP
          port: {{ int64 .Values.metrics.port }}
      {{- with .Values.networkPolicy.metricsFrom }}
      from:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
${(installation.servicePorts ?? []).map(portRule).join("")}  {{- if .Values.networkPolicy.limitEgress }}
  egress:
    - ports:
        - protocol: UDP
          port: 53
        - protocol: TCP
          port: 53
    - ports:
        {{- range .Values.networkPolicy.egressPorts }}
        - protocol: TCP
          port: {{ int64 . }}
        {{- end }}
  {{- end }}
{{- end }}
`;
}
