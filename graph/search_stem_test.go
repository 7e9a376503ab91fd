package graph

import "testing"

func TestStem(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agre", "plastered": "plaster", "motoring": "motor",
		"sing": "sing", "conflated": "conflat", "hopping": "hop", "falling": "fall", "filing": "file", "happy": "happi", "sky": "sky",
		"relational": "relat", "rational": "ration", "vietnamization": "vietnam", "radically": "radic", "archaeology": "archaeolog", "adoption": "adopt", "probate": "probat",
		"rate": "rate", "controlling": "control", "roll": "roll", "generalizations": "gener", "is": "is", "as": "as", "ies": "i", "s": "s",
		"o'brien": "o'brien", "node.js": "node.j", "straße": "straße", "日": "日",
	} {
		if got := stem(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}
