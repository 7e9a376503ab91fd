{{/* Names and labels. The name is the release's: `helm install kith` makes what deploy/kubernetes makes. */}}
{{- define "kith.name" -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "kith.selector" -}}
app.kubernetes.io/name: {{ include "kith.name" . }}
{{- end }}

{{- define "kith.labels" -}}
{{ include "kith.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "kith.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "kith.account" -}}
{{ .Values.serviceAccount.name | default (include "kith.name" .) }}
{{- end }}
