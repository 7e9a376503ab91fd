package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"kith/tests/testenv"
)

const chart = "../../deploy/helm/kith"

// rendered are the chart's objects as Helm made them: with its own values, and with all that they can switch on. The first line
// names the chart by its checksum; `make test-dist` renews them.
var rendered = []string{"testdata/chart.yaml", "testdata/chart-all.yaml"}

// The rendered objects are those of the chart as it is now.
func TestChartIsRendered(t *testing.T) {
	t.Parallel()
	for _, file := range rendered {
		if first, _, _ := strings.Cut(string(readContent(t, file)), "\n"); first != chartHeader(t) {
			t.Errorf("%s is of another chart: run make test-dist UPDATE=-update", file)
		}
	}
}

// chartHeader is the first line of rendered objects.
func chartHeader(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(chart), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, err = sum.Write(append([]byte(name+"\x00"), readContent(t, path.Join(chart, name))...))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return "# Rendered of the chart " + hex.EncodeToString(sum.Sum(nil))
}

// The chart makes what the manifests make.
func TestChartMakesWhatTheManifestsMake(t *testing.T) {
	t.Parallel()
	objects := map[string]any{}
	for _, object := range parseObjects(t, rendered[0]) {
		objects[at(object, "kind").(string)] = object //nolint:errcheck // a panic fails too
	}
	for file, kind := range map[string]string{
		"deployment.yaml": "Deployment", "service.yaml": "Service", "autoscaler.yaml": "HorizontalPodAutoscaler",
		"disruption-budget.yaml": "PodDisruptionBudget", "network-policy.yaml": "NetworkPolicy",
	} {
		want, got := parseYAML(t, kubernetes+file), objects[kind]
		delete(objects, kind)
		dropOwn(kind, want)
		dropOwn(kind, got)
		if diff := cmp.Diff(at(want, "spec"), at(got, "spec")); diff != "" || at(got, "metadata", "name") != "kith" {
			t.Errorf("%s differs from the chart's:\n%s", file, diff)
		}
	}
	settings := at(objects["ConfigMap"], "data")
	for _, literal := range at(parseYAML(t, kubernetes+"kustomization.yaml"), "configMapGenerator", 0, "literals").([]any) { //nolint:errcheck // a panic fails too
		name, value, _ := strings.Cut(literal.(string), "=") //nolint:errcheck // a panic fails too
		if at(settings, name) != value {
			t.Errorf("setting %s is %v, want %s", name, at(settings, name), value)
		}
	}
	if len(objects) != 1 { // the settings alone are left
		t.Errorf("the chart also makes %v", objects)
	}
}

// dropOwn removes what the chart has for values of its own, and kustomize does in another way.
func dropOwn(kind string, object any) {
	drop := func(name string, in ...any) {
		if fields, ok := at(object, in...).(map[string]any); ok {
			delete(fields, name)
		}
	}
	switch kind {
	case "Deployment":
		drop("annotations", "spec", "template", "metadata")
		drop("image", "spec", "template", "spec", "containers", 0)
		drop("imagePullPolicy", "spec", "template", "spec", "containers", 0)
	case "Service":
		drop("type", "spec")
	}
}

// Numbers among the settings are written as Kith reads them: without an exponent.
func TestChartWritesNumbers(t *testing.T) {
	t.Parallel()
	for _, object := range parseObjects(t, rendered[1]) {
		if at(object, "kind") != "ConfigMap" {
			continue
		}
		for name, want := range map[string]string{"KITH_MAX_BODY": "67108864", "KITH_OTLP_RATIO": "0.25", "KITH_PPROF": "true", "KITH_NEO4J_URI": "neo4j://neo4j:7687"} {
			if got := at(object, "data", name); got != want {
				t.Errorf("%s is %v, want %s", name, got, want)
			}
		}
		return
	}
	t.Error("no ConfigMap")
}

// Behind a Service for clients outside the cluster, pods take requests from any address. Metrics are for Prometheus alone still.
func TestChartLetsClientsIn(t *testing.T) {
	t.Parallel()
	for i, want := range []any{[]any{map[string]any{"namespaceSelector": map[string]any{}}}, nil} {
		for _, object := range parseObjects(t, rendered[i]) {
			if at(object, "kind") != "NetworkPolicy" {
				continue
			}
			if diff := cmp.Diff(want, at(object, "spec", "ingress", 0, "from")); diff != "" {
				t.Errorf("%s: clients differ:\n%s", rendered[i], diff)
			}
			if at(object, "spec", "ingress", 1, "from") == nil {
				t.Errorf("%s: metrics are open", rendered[i])
			}
		}
	}
}

// The chart's schema refuses all secret settings, those that the chart sets itself, and addresses with a password.
func TestChartRefusesSecrets(t *testing.T) {
	t.Parallel()
	schema := parseYAML(t, chart+"/values.schema.json") // YAML includes JSON
	secret := regexp.MustCompile(`_(KEY|PASSWORD|SECRET|TOKEN)$`)
	want := map[string]any{"KITH_ADMIN_LISTEN": false, "KITH_LISTEN": false}
	for _, name := range documentedSettings(t) {
		if secret.MatchString(name) {
			want[name] = false
		}
	}
	settings := []any{"properties", "settings"}
	if diff := cmp.Diff(any(want), at(schema, append(settings, "properties")...)); diff != "" {
		t.Errorf("refused settings differ:\n%s", diff)
	}
	pattern := regexp.MustCompile(at(schema, append(settings, "additionalProperties", "not", "pattern")...).(string)) //nolint:errcheck // a panic fails too
	for value, refused := range map[string]bool{
		"redis://:secret@redis:6379/0": true, "rediss://kith:secret@redis:6379": true, "postgres://kith:secret@db/kith": true,
		"postgres://db/kith?user=kith&password=secret": true, "host=db user=kith password=secret": true,
		"redis://redis:6379/0": false, "postgres://kith@db:5432/kith": false, "neo4j+s://graph.example.org:7687": false,
		"http://[::1]:4318": false, "https://a.example.org:8443,https://b.example.org": false, "/etc/kith/neo4j-password": false,
	} {
		if pattern.MatchString(value) != refused {
			t.Errorf("%s: refused %v, want %v", value, !refused, refused)
		}
	}
}

// What the chart makes matches the published schemas of Kubernetes, without unknown fields.
func TestKubernetesTakesTheChart(t *testing.T) {
	t.Parallel()
	kinds := map[any]bool{}
	for _, object := range parseObjects(t, rendered[1]) {
		kinds[at(object, "kind")] = true
	}
	for _, kind := range []string{"Deployment", "Service", "Ingress", "ServiceAccount", "NetworkPolicy", "ConfigMap", "HorizontalPodAutoscaler", "PodDisruptionBudget"} {
		if !kinds[kind] {
			t.Errorf("%s has no %s", rendered[1], kind)
		}
	}
	python := testenv.Python(t, "kubernetes-validate==1.34.1")
	args := append([]string{"-m", "kubernetes_validate", "--strict", "--quiet", "-k", "1.30", "-k", "1.34"}, rendered...)
	if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil { //nolint:gosec // the test's own
		t.Errorf("%v\n%s", err, out)
	}
}

// parseObjects returns the documents of a file.
func parseObjects(t *testing.T, file string) (objects []any) {
	t.Helper()
	documents := yaml.NewDecoder(strings.NewReader(string(readContent(t, file))))
	for {
		var object any
		switch err := documents.Decode(&object); {
		case errors.Is(err, io.EOF):
			return objects
		case err != nil:
			t.Fatal(err)
		case object != nil:
			objects = append(objects, object)
		}
	}
}
