// The Job that helm runs before it uninstalls an operator.

import type { Operator } from "../definition/operator.ts";
import type { UninstallStep } from "../installation/uninstall-step.ts";
import { placementTemplate, pullSecretsTemplate } from "./pod-template.ts";

/** The suffix of the names of all objects of the hook. */
export const uninstallSuffix = "-uninstall";

/**
 * Returns a template expression for the annotations of an object of the hook. Objects of a lower weight are created first. A failed hook
 * stays for its logs; the next one replaces it.
 */
export function hookAnnotations(weight: number): string {
  const pairs = {
    "helm.sh/hook": "pre-delete",
    "helm.sh/hook-weight": String(weight),
    "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
  };
  const words = Object.entries(pairs).flatMap((pair) => pair.map((word) => JSON.stringify(word)));
  return `(dict ${words.join(" ")})`;
}

/**
 * Returns the template of the Job. Its pods have labels of their own: the Services, the NetworkPolicy and the PodDisruptionBudget of the
 * operator must not select them.
 */
export function uninstallJobTemplate({ name }: Operator, { args, deadlineSeconds = 240 }: UninstallStep): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ printf "%s${uninstallSuffix}" (include "${name}.instance" $) | quote }}
  namespace: {{ $.Release.Namespace | quote }}
  labels:
    {{- include "${name}.labels" $ | nindent 4 }}
  {{- include "${name}.annotations" (dict "root" $ "more" ${hookAnnotations(0)}) | nindent 2 }}
spec:
  backoffLimit: 3
  activeDeadlineSeconds: ${deadlineSeconds}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}${uninstallSuffix}
        app.kubernetes.io/instance: {{ include "${name}.instance" $ | quote }}
        {{- with .Values.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      restartPolicy: Never
      serviceAccountName: {{ ternary (printf "%s${uninstallSuffix}" (include "${name}.instance" $)) (include "${name}.serviceAccount" $) .Values.rbac.create | quote }}
      automountServiceAccountToken: true
      securityContext:
        {{- toYaml .Values.podSecurityContext | nindent 8 }}
${pullSecretsTemplate}${placementTemplate}      containers:
        - name: uninstall
          image: {{ include "${name}.image" $ | quote }}
          {{- with .Values.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args:
${args.map((word) => `            - ${JSON.stringify(word)}\n`).join("")}            {{- with .Values.watchNamespaces }}
            - --watch-namespaces={{ join "," . }}
            {{- end }}
          resources:
            requests:
              cpu: 50m
              memory: 64Mi
            limits:
              memory: 256Mi
          securityContext:
            {{- toYaml .Values.containerSecurityContext | nindent 12 }}
`;
}
