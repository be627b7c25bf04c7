import type { Operator } from "../definition/operator.ts";
import type { Flag } from "../flags/flag.ts";
import { flagName } from "../flags/names.ts";
import { nodeOptions, terminationSeconds } from "../manifests/deployment.ts";
import { variableEntries } from "./variables.ts";
import { certificateFolder, drainSeconds, ports, readyPath, webhookReadyPath } from "../manifests/names.ts";

/** The Deployment as a template. It says what `deploymentManifest` says; tests render both and compare them. */
export function deploymentTemplate(operator: Operator, { hasWebhooks }: { hasWebhooks: boolean }): string {
  const name = operator.name;
  const withWebhooks = (text: string): string => (hasWebhooks ? text : "");
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "${name}.instance" $ | quote }}
  namespace: {{ $.Release.Namespace | quote }}
  labels:
    {{- include "${name}.labels" $ | nindent 4 }}
  {{- include "${name}.annotations" (dict "root" $) | nindent 2 }}
spec:
  replicas: {{ int64 .Values.replicas }}
  selector:
    matchLabels:
      {{- include "${name}.selectorLabels" $ | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "${name}.podLabels" $ | nindent 8 }}
      {{- with .Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "${name}.serviceAccount" $ | quote }}
      automountServiceAccountToken: true
      terminationGracePeriodSeconds: {{ add (int64 .Values.graceSeconds) ${terminationSeconds(0)} }}
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "${name}.selectorLabels" $ | nindent 14 }}
      containers:
        - name: operator
          image: {{ include "${name}.image" $ | quote }}
          {{- with .Values.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args:
            - --leader-elect
            - --metrics-bind-address=:${ports.metrics}
            - --health-probe-bind-address=:${ports.health}
            - --log-level={{ .Values.logLevel }}
            - --grace={{ int64 .Values.graceSeconds }}s
${withWebhooks(`            {{- if .Values.webhook.enabled }}
            - --drain=${drainSeconds}s
            {{- end }}
`)}            {{- if ne (include "${name}.instance" $) "${name}" }}
            - --instance={{ include "${name}.instance" $ }}
            {{- end }}
            {{- with .Values.watchNamespaces }}
            - --watch-namespaces={{ join "," . }}
            {{- end }}
            {{- if not .Values.webhook.enabled }}
            - --no-webhooks
${withWebhooks(`            {{- else }}
            - --webhooks
`)}            {{- end }}
${withWebhooks(`            {{- if and .Values.webhook.enabled (eq .Values.webhook.certificates "cert-manager") }}
            - --webhook-cert-dir=${certificateFolder}
            {{- end }}
`)}${Object.entries(operator.flags)
    .map(([key, flag]) => settingArgument(key, flag))
    .join("")}            {{- with .Values.args }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          env:
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            - name: POD_NAMESPACE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
            {{- $names := list }}
            {{- range .Values.env }}
            {{- $names = append $names .name }}
            {{- end }}
            {{- if not (has "NODE_OPTIONS" $names) }}
            - name: NODE_OPTIONS
              value: ${nodeOptions}
            {{- end }}
${variableEntries(operator.chartVariables, name)}            {{- with .Values.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - name: metrics
              containerPort: ${ports.metrics}
              protocol: TCP
            - name: health
              containerPort: ${ports.health}
              protocol: TCP
${withWebhooks(`            {{- if .Values.webhook.enabled }}
            - name: webhook
              containerPort: ${ports.webhook}
              protocol: TCP
            {{- end }}
`)}          livenessProbe:
            httpGet:
              path: /healthz
              port: health
            initialDelaySeconds: 15
            periodSeconds: 20
          readinessProbe:
            httpGet:
              path: ${hasWebhooks ? `{{ ternary "${webhookReadyPath}" "${readyPath}" .Values.webhook.enabled }}` : readyPath}
              port: health
            initialDelaySeconds: 2
            periodSeconds: 5
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            capabilities:
              drop:
                - ALL
            readOnlyRootFilesystem: true
${withWebhooks(`          {{- if and .Values.webhook.enabled (eq .Values.webhook.certificates "cert-manager") }}
          volumeMounts:
            - name: webhook-certificates
              mountPath: ${certificateFolder}
              readOnly: true
      volumes:
        - name: webhook-certificates
          secret:
            secretName: {{ include "${name}.instance" $ }}-webhook-certificates
          {{- end }}
`)}`;
}

/** The argument for one of the operator's own flags, where its value is another than the default. */
function settingArgument(key: string, flag: Flag): string {
  const value = `.Values.settings.${key}`;
  const printed =
    flag.type === "list"
      ? `(join "," ${value})`
      : flag.type === "integer"
        ? `(int64 ${value} | toString)`
        : `(toString ${value})`;
  return `            {{- if ne ${printed} ${JSON.stringify(flag.format(flag.default))} }}
            - {{ printf "--${flagName(key)}=%s" ${printed} | quote }}
            {{- end }}
`;
}
