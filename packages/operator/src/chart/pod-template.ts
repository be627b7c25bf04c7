// Parts of pod specs that all workloads of a chart have in common.

/** The template of the pull secrets. An element is the name of a Secret, or an object with the name. */
export const pullSecretsTemplate = `      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ if kindIs "string" . }}{{ . | quote }}{{ else }}{{ .name | quote }}{{ end }}
        {{- end }}
      {{- end }}
`;

/** The template of the nodes that pods may run on. */
export const placementTemplate = `      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
`;
