package handlers

import (
	"net/http"

	"kith/graph"
)

// withoutKeyMarks sends answers with callers' keys as the callers gave them. An export has stored keys: its import gives
// each thing the same one again.
func withoutKeyMarks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !exchanges[r.URL.Path] {
			w = &keyMarkCutter{w}
		}
		next.ServeHTTP(w, r)
	})
}

// keyMarkCutter removes the marks of keys from what is written. A write has whole keys.
type keyMarkCutter struct{ http.ResponseWriter }

// Write writes an answer or a part of it.
func (w *keyMarkCutter) Write(b []byte) (int, error) {
	if _, err := w.ResponseWriter.Write(graph.CutKeyMarks(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush sends what was written.
func (w *keyMarkCutter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap returns the writer below, for http.ResponseController.
func (w *keyMarkCutter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
