package recognise

import (
	"strings"
	"testing"
)

// BenchmarkStatements finds the statements in an ordinary message of 600 characters.
func BenchmarkStatements(b *testing.B) {
	message := strings.Repeat("I'm trying to optimise the loading of my pages, and I've been reading about caches on the server and in the browser. "+
		"Could you explain how a service worker would help, and which files it should keep? ", 3)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		statementsOf(message)
	}
}
