package graph

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"kith/cypher"
)

func TestZZFile(t *testing.T) {
	w := newWalls(t)
	raw, _ := os.ReadFile("/tmp/q.txt")
	for _, text := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		fmt.Println("==", text)
		if g, err := cypher.Guard(text, wallParameters, cypherRules); err == nil && os.Getenv("SHOW") != "" {
			fmt.Println("  ", g.Text)
		}
		fmt.Println("  ", w.answer(w.alone, text))
	}
}
