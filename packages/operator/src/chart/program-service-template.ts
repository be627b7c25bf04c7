import type { Operator } from "../definition/operator.ts";
import { singlePorts } from "../installation/program-ports.ts";

/** Returns the template of the Service of the program's own ports; empty if it has none. It must render to what `programServiceManifest` returns. */
export function programServiceTemplate({ name, installation }: Operator): string {
  const servicePorts = singlePorts(installation.servicePorts);
  if (servicePorts.length === 0) return "";
  const ports = servicePorts.map(
    (each) => `    - name: ${each.name}
      port: ${each.port}
      targetPort: ${each.name}
      protocol: TCP
`,
  );
  return `apiVersion: v1
kind: Service
metadata:
  name: {{ include "${name}.instance" $ | quote }}
  namespace: {{ $.Release.Namespace | quote }}
  labels:
    {{- include "${name}.labels" $ | nindent 4 }}
  {{- include "${name}.annotations" (dict "root" $) | nindent 2 }}
spec:
  selector:
    {{- include "${name}.selectorLabels" $ | nindent 4 }}
  ports:
${ports.join("")}    {{- if and .Values.metrics.enabled .Values.metrics.service }}
    - name: metrics
      port: {{ int64 .Values.metrics.port }}
      targetPort: metrics
      protocol: TCP
    {{- end }}
`;
}
