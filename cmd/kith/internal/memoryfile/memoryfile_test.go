package memoryfile

import (
	"bytes"
	"fmt"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{", "{\"entities\":\n[{\"name\":7}]}", `{"entities":[{"name":"a"},{"name":"b"}],"relationships":[]}`, "\xff\n", "[]", "nul"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, err := Parse(raw)
		if err == nil {
			return
		}
		var line, column int
		if n, scan := fmt.Sscanf(err.Error(), "line %d, column %d:", &line, &column); n != 2 || line < 1 || column < 1 || line > bytes.Count(raw, []byte("\n"))+1 {
			t.Errorf("%q: %v (%v)", raw, err, scan)
		}
	})
}
