//go:build dist

package e2e

import (
	"os"
	"os/exec"
	"testing"

	"kith/tests/golden"
)

// helm takes minutes to build, and is no dependency of Kith.
const helm = "helm.sh/helm/v3/cmd/helm@v3.22.0"

// chartValues switch on all that the chart has.
var chartValues = []string{
	"--set", "ingress.enabled=true,ingress.className=nginx,ingress.hosts={kith.example.org},ingress.tlsSecret=kith-tls",
	"--set", "serviceAccount.create=true,imagePullSecrets[0].name=registry,nodeSelector.disk=ssd,podLabels.tier=memory,podAnnotations.note=x",
	"--set", "image.digest=sha256:0000000000000000000000000000000000000000000000000000000000000000,service.annotations.a=b,existingSecret=other",
	"--set", "service.type=LoadBalancer",
	"--set-json", "settings.KITH_MAX_BODY=67108864", "--set-json", "settings.KITH_OTLP_RATIO=0.25", "--set-json", "settings.KITH_PPROF=true",
}

// Helm takes the chart and its values, and makes of it what other tests look at.
func TestDistChart(t *testing.T) {
	lint, err := runHelm(t, "lint", "--strict", chart)
	if err != nil {
		t.Errorf("%v\n%s", err, lint)
	}
	for i, values := range [][]string{nil, chartValues} {
		made, err := runHelm(t, append([]string{"template", "kith", chart, "--kube-version", "1.34.0"}, values...)...)
		if err != nil {
			t.Fatalf("%v\n%s", err, made)
		}
		golden.Check(t, rendered[i], chartHeader(t)+"\n"+made)
	}
	for _, refused := range []string{
		"settings.KITH_BOOTSTRAP_KEY=secret", "settings.KITH_LLM_KEY=secret", "settings.KITH_LISTEN=:80", "settings.KITH_REDIS_URI=redis://:secret@redis",
		"replica=3", "ingress.enabled=true", "image.digest=latest",
	} {
		if made, err := runHelm(t, "template", "kith", chart, "--kube-version", "1.34.0", "--set", refused); err == nil {
			t.Errorf("%s is taken:\n%s", refused, made)
		}
	}
}

func runHelm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"run", helm}, args...)...) //nolint:gosec // the test's own
	command.Stderr = os.Stderr
	out, err := command.Output()
	return string(out), err
}
