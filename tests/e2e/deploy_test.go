package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	program "kith/cmd/kith/command"
	"kith/handlers"
	"kith/tests/testenv"
)

const (
	composeFile = "../../docker-compose.yml"
	unitFile    = "../../deploy/kith.service"
	kubernetes  = "../../deploy/kubernetes/"
)

// Every setting in the deployment files exists.
func TestDeployedSettingsAreKnown(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range documentedSettings(t) {
		known[name] = true
	}
	for _, file := range append(manifests(t), composeFile, unitFile, "../../Dockerfile", "../../docs/operations.md") {
		for _, name := range regexp.MustCompile(`\bKITH_[A-Z0-9_]+`).FindAllString(string(readContent(t, file)), -1) {
			if !known[name] {
				t.Errorf("%s sets %s, which there is not", file, name)
			}
		}
	}
}

// Every deployment leaves Kith the time that it needs to stop.
func TestDeployedKithHasTimeToStop(t *testing.T) {
	t.Parallel()
	pod := at(parseYAML(t, kubernetes+"deployment.yaml"), "spec", "template", "spec")
	unit := regexp.MustCompile(`(?m)^TimeoutStopSec=(.*)$`).FindSubmatch(readContent(t, unitFile))
	for _, c := range []struct {
		who    string
		gives  any
		before any // signals Kith to stop
		least  time.Duration
	}{
		{"compose", at(parseYAML(t, composeFile), "services", "kith", "stop_grace_period"), 0, program.DrainTime},
		{"Kubernetes", at(pod, "terminationGracePeriodSeconds"), at(pod, "containers", 0, "lifecycle", "preStop", "sleep", "seconds"), program.DrainTime},
		{"systemd", string(unit[1]), 0, program.DrainTime + program.StopTime},
	} {
		if gives, before := duration(t, c.gives), duration(t, c.before); gives-before <= c.least {
			t.Errorf("%s gives %s, %s of them before it tells Kith", c.who, gives, before)
		}
	}
}

// No deployment publishes a port without TLS to other machines.
func TestComposePublishesOnLoopbackAlone(t *testing.T) {
	t.Parallel()
	published := 0
	for name, service := range at(parseYAML(t, composeFile), "services").(map[string]any) { //nolint:errcheck // a panic fails too
		ports, _ := at(service, "ports").([]any)
		for _, port := range ports {
			published++
			if !strings.HasPrefix(fmt.Sprint(port), "127.0.0.1:") {
				t.Errorf("%s publishes %v", name, port)
			}
		}
	}
	if published == 0 {
		t.Error("nothing is published")
	}
}

// No service can gain privileges, and each has only the capabilities that are listed for it.
func TestComposeGivesNoRights(t *testing.T) {
	t.Parallel()
	for name, service := range at(parseYAML(t, composeFile), "services").(map[string]any) { //nolint:errcheck // a panic fails too
		if got := fmt.Sprint(at(service, "cap_drop"), at(service, "security_opt")); got != "[ALL] [no-new-privileges:true]" {
			t.Errorf("%s: %s", name, got)
		}
		if added, _ := at(service, "cap_add").([]any); name != "neo4j" && len(added) > 0 {
			t.Errorf("%s has %v", name, added)
		}
	}
}

// documentedSettings returns the variables of docs/configuration.md, which has all settings.
func documentedSettings(t *testing.T) (all []string) {
	t.Helper()
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z0-9_]+)` \\|").FindAllSubmatch(readContent(t, "../../docs/configuration.md"), -1) {
		all = append(all, string(row[1]))
	}
	if len(all) < 50 {
		t.Fatalf("%d settings are documented", len(all))
	}
	return all
}

func duration(t *testing.T, v any) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(strings.TrimSuffix(fmt.Sprint(v), "s") + "s")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A Kith that starts or has lost its database is alive and not ready. Kubernetes probes the port on which Kith listens.
func TestKubernetesAsksWhatKithAnswers(t *testing.T) {
	t.Parallel()
	container := at(parseYAML(t, kubernetes+"deployment.yaml"), "spec", "template", "spec", "containers", 0)
	starting := handlers.Starting(handlers.Build{})
	for probe, want := range map[string]int{"startupProbe": 200, "livenessProbe": 200, "readinessProbe": 503} {
		w := httptest.NewRecorder()
		starting.ServeHTTP(w, httptest.NewRequest(http.MethodGet, at(container, probe, "httpGet", "path").(string), nil)) //nolint:errcheck // a panic fails too
		if w.Code != want || strings.Contains(w.Body.String(), "try again") || at(container, probe, "httpGet", "port") != "http" {
			t.Errorf("%s: %d %s", probe, w.Code, w.Body)
		}
	}
	settings := map[any]any{}
	for _, v := range at(container, "env").([]any) { //nolint:errcheck // a panic fails too
		settings[at(v, "name")] = at(v, "value")
	}
	for i, setting := range []string{"KITH_LISTEN", "KITH_ADMIN_LISTEN"} {
		if port := at(container, "ports", i, "containerPort"); settings[setting] != fmt.Sprintf(":%v", port) {
			t.Errorf("%s is %v, the port %v", setting, settings[setting], port)
		}
	}
}

// The manifests match the published schemas of Kubernetes, without unknown fields.
func TestKubernetesTakesTheManifests(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t, "kubernetes-validate==1.34.1")
	args := []string{"-m", "kubernetes_validate", "--strict", "--quiet", "-k", "1.30", "-k", "1.34"}
	for _, file := range manifests(t) {
		if filepath.Base(file) != "kustomization.yaml" { // has no schema, and is read by the test below
			args = append(args, file)
		}
	}
	if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil { //nolint:gosec // the test's own
		t.Errorf("%v\n%s", err, out)
	}
}

// All manifests are applied, and use the same pods and ports.
func TestKubernetesManifestsBelongTogether(t *testing.T) {
	t.Parallel()
	all := map[string]any{}
	for _, file := range manifests(t) {
		all[filepath.Base(file)] = parseYAML(t, file)
	}
	listed := at(all["kustomization.yaml"], "resources").([]any) //nolint:errcheck // a panic fails too
	if len(listed) != len(all)-1 {
		t.Errorf("there are %d manifests, and %d are listed", len(all)-1, len(listed))
	}
	pods := at(all["deployment.yaml"], "spec", "template")
	labels, spread := at(pods, "metadata", "labels"), at(pods, "spec", "topologySpreadConstraints")
	container := at(pods, "spec", "containers", 0)
	api, admin := at(container, "ports", 0, "name"), at(container, "ports", 1, "name")
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"the deployment", at(all["deployment.yaml"], "spec", "selector", "matchLabels"), labels},
		{"the spread over zones", at(spread, 0, "labelSelector", "matchLabels"), labels},
		{"the spread over machines", at(spread, 1, "labelSelector", "matchLabels"), labels},
		{"the service", at(all["service.yaml"], "spec", "selector"), labels},
		{"the disruption budget", at(all["disruption-budget.yaml"], "spec", "selector", "matchLabels"), labels},
		{"the network policy", at(all["network-policy.yaml"], "spec", "podSelector", "matchLabels"), labels},
		{"the service's port", at(all["service.yaml"], "spec", "ports", 0, "targetPort"), api},
		{"who may ask Kith", at(all["network-policy.yaml"], "spec", "ingress", 0, "ports", 0, "port"), api},
		{"who may watch it", at(all["network-policy.yaml"], "spec", "ingress", 1, "ports", 0, "port"), admin},
		{"the autoscaler", at(all["autoscaler.yaml"], "spec", "scaleTargetRef", "name"), at(all["deployment.yaml"], "metadata", "name")},
		{"the image", at(all["kustomization.yaml"], "images", 0, "name"), at(container, "image")},
		{"the settings", at(all["kustomization.yaml"], "configMapGenerator", 0, "name"), at(container, "envFrom", 0, "configMapRef", "name")},
	} {
		if c.want == nil || !cmp.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

func manifests(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(kubernetes + "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files
}

func readContent(t *testing.T, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func parseYAML(t *testing.T, file string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(readContent(t, file), &v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}
