import type { Operator } from "../definition/operator.ts";
import type { Flag } from "../flags/flag.ts";
import { flagName } from "../flags/names.ts";
import { type SecretFiles, type ServicePort, singlePorts } from "../installation/program-ports.ts";
import { nodeOptions, terminationSeconds } from "../manifests/deployment.ts";
import { placementTemplate, pullSecretsTemplate } from "./pod-template.ts";
import { variableEntries } from "./variables.ts";
import {
  certificateFolder,
  certificateSuffix,
  clientCaFile,
  clientCaFolder,
  drainSeconds,
  metricsCertificateFolder,
  ports,
  readyPath,
  webhookReadyPath,
} from "../installation/names.ts";

/** Returns the template of the Deployment. It must render to what `deploymentManifest` returns; tests render and compare both. */
export function deploymentTemplate(operator: Operator, { hasWebhooks }: { hasWebhooks: boolean }): string {
  const name = operator.name;
  const withWebhooks = (text: string): string => (hasWebhooks ? text : "");
  const { servicePorts = [], secretFiles = [], leaderElection = true, podAddress = false } = operator.installation;
  const leaderCheck = `{{- if and (not .Values.leaderElection.enabled) (gt (int64 .Values.replicas) 1) }}
{{- fail "replicas is greater than 1 but leaderElection.enabled is false: all replicas would reconcile the same objects. Set replicas to 1, or enable leader election." }}
{{- end }}
`;
  return `${leaderElection ? leaderCheck : ""}apiVersion: apps/v1
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
      {{- if kindIs "invalid" .Values.terminationGracePeriodSeconds }}
      terminationGracePeriodSeconds: {{ add (int64 .Values.graceSeconds) ${terminationSeconds(0)} }}
      {{- else }}
      terminationGracePeriodSeconds: {{ int64 .Values.terminationGracePeriodSeconds }}
      {{- end }}
      securityContext:
        {{- toYaml .Values.podSecurityContext | nindent 8 }}
${pullSecretsTemplate}      {{- with .Values.runtimeClassName }}
      runtimeClassName: {{ . | quote }}
      {{- end }}
      {{- with .Values.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
${placementTemplate}      {{- with .Values.affinity }}
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
            - --leader-elect={{ .Values.leaderElection.enabled }}
            {{- if .Values.metrics.enabled }}
            - --metrics-bind-address=:{{ int64 .Values.metrics.port }}
            - --metrics-secure={{ .Values.metrics.secure }}
            {{- if and .Values.metrics.secure .Values.metrics.certificateSecret }}
            - --metrics-cert-dir=${metricsCertificateFolder}
            {{- end }}
            {{- else }}
            - --metrics-bind-address=0
            {{- end }}
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
${withWebhooks(`            {{- if and .Values.webhook.enabled (ne (int64 .Values.webhook.port) ${ports.webhook}) }}
            - --webhook-port={{ int64 .Values.webhook.port }}
            {{- end }}
            {{- if and .Values.webhook.enabled (eq .Values.webhook.certificates "cert-manager") }}
            - --webhook-cert-dir=${certificateFolder}
            {{- end }}
            {{- if and .Values.webhook.enabled .Values.webhook.clientCaConfigMap }}
            - --webhook-client-ca=${clientCaFolder}/${clientCaFile}
            {{- with .Values.webhook.clientNames }}
            - --webhook-client-names={{ join "," . }}
            {{- end }}
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
${podAddress ? addressVariable : ""}            {{- $names := list }}
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
            {{- if .Values.metrics.enabled }}
            - name: metrics
              containerPort: {{ int64 .Values.metrics.port }}
              protocol: TCP
            {{- end }}
            - name: health
              containerPort: ${ports.health}
              protocol: TCP
${withWebhooks(`            {{- if .Values.webhook.enabled }}
            - name: webhook
              containerPort: {{ int64 .Values.webhook.port }}
              protocol: TCP
            {{- end }}
`)}${singlePorts(servicePorts).map(containerPort).join("")}          livenessProbe:
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
            {{- toYaml .Values.containerSecurityContext | nindent 12 }}
          {{- $webhookFiles := ${hasWebhooks ? 'and .Values.webhook.enabled (eq .Values.webhook.certificates "cert-manager")' : "false"} }}
          {{- $clientFiles := ${hasWebhooks ? "and .Values.webhook.enabled .Values.webhook.clientCaConfigMap" : "false"} }}
          {{- $metricsFiles := and .Values.metrics.enabled .Values.metrics.secure .Values.metrics.certificateSecret }}
          {{- if ${secretFiles.length > 0 ? "true" : "or $webhookFiles $clientFiles $metricsFiles"} }}
          volumeMounts:
            {{- if $webhookFiles }}
            - name: webhook-certificates
              mountPath: ${certificateFolder}
              readOnly: true
            {{- end }}
            {{- if $clientFiles }}
            - name: webhook-client-ca
              mountPath: ${clientCaFolder}
              readOnly: true
            {{- end }}
            {{- if $metricsFiles }}
            - name: metrics-certificates
              mountPath: ${metricsCertificateFolder}
              readOnly: true
            {{- end }}
${secretFiles.map(mountOf).join("")}      volumes:
        {{- if $webhookFiles }}
        - name: webhook-certificates
          secret:
            secretName: {{ ${certificateSecretExpression(operator)} | quote }}
        {{- end }}
        {{- if $clientFiles }}
        - name: webhook-client-ca
          configMap:
            name: {{ .Values.webhook.clientCaConfigMap | quote }}
        {{- end }}
        {{- if $metricsFiles }}
        - name: metrics-certificates
          secret:
            secretName: {{ .Values.metrics.certificateSecret | quote }}
        {{- end }}
${secretFiles.map(volumeOf).join("")}          {{- end }}
`;
}

const addressVariable = `            - name: POD_IP
              valueFrom:
                fieldRef:
                  fieldPath: status.podIP
`;

function containerPort({ name, port }: ServicePort): string {
  return `            - name: ${name}
              containerPort: ${port}
              protocol: TCP
`;
}

function mountOf({ name, mountPath }: SecretFiles): string {
  return `            - name: ${name}
              mountPath: ${mountPath}
              readOnly: true
`;
}

function volumeOf({ name, secret, keys, isOptional = false }: SecretFiles): string {
  const items = keys.map((key) => `              - key: ${key}\n                path: ${key}\n`);
  return `        - name: ${name}
          secret:
            secretName: ${secret}
            items:
${items.join("")}${isOptional ? "            optional: true\n" : ""}`;
}

/** Returns a template expression for the name of the Secret with the webhook certificate. */
export function certificateSecretExpression({ name, installation }: Operator): string {
  const { webhookSecretName } = installation;
  return webhookSecretName === undefined
    ? `(printf "%s${certificateSuffix}" (include "${name}.instance" $))`
    : JSON.stringify(webhookSecretName);
}

/** Returns the template of the argument for one of the operator's own flags. It is rendered only if the value differs from the default. */
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
