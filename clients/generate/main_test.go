package main

import (
	"os"
	"strings"
	"testing"

	"kith/tests/golden"
)

// contract.go matches the contract.
func TestTheClientFollowsTheContract(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../handlers/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	source, err := generate(document)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../go/contract.go", string(source))
}

// api.py matches the contract.
func TestThePythonPackageFollowsTheContract(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../handlers/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	source, err := generatePython(document)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../python/src/kith/api.py", string(source))
}

func TestAPythonStreamIsNamed(t *testing.T) {
	t.Parallel()
	_, err := generatePython([]byte(`{"paths":{"/v1/x":{"get":{"operationId":"watch","summary":"Watch","responses":{"200":{"content":{"text/event-stream":{}}}}}}}}`))
	if err == nil || !strings.Contains(err.Error(), "name it in streams") {
		t.Errorf("got %v", err)
	}
}

func TestAStreamIsWrittenByHand(t *testing.T) {
	t.Parallel()
	_, err := generate([]byte(`{"paths":{"/v1/x":{"get":{"operationId":"watch","summary":"Watch","responses":{"200":{"content":{"text/event-stream":{}}}}}}}}`))
	if err == nil || !strings.Contains(err.Error(), "watch answers with text/event-stream") {
		t.Errorf("got %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, one := range [][2]string{
		{methodName("get-context"), "Context"}, {methodName("list-node-relationships"), "ListNodeRelationships"}, {fieldName("derived_from_signal_id"), "DerivedFromSignalID"},
		{lowerFirst("API keys"), "API keys"}, {lowerFirst("A page"), "a page"}, {parameterName("id"), "id"},
	} {
		if one[0] != one[1] {
			t.Errorf("got %s, want %s", one[0], one[1])
		}
	}
}
