package clip

import "testing"

func TestRunes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		short string
		cut   bool
	}{{"", 0, "", false}, {"é", 1, "é", false}, {"éé", 1, "é", true}, {"ab", 3, "ab", false}, {"a", 0, "", true}, {"a\xffb", 2, "a\xff", true}} {
		if short, cut := Runes(c.text, c.limit); short != c.short || cut != c.cut {
			t.Errorf("%q to %d: %q, %t", c.text, c.limit, short, cut)
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"", 0, ""}, {"ab", 2, "ab"}, {"ab", 1, "a"}, {"é", 1, ""}, {"aé", 2, "a"}, {"aéb", 3, "aé"}} {
		if got := Bytes(c.text, c.limit); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

// TestShorten checks how texts are cut.
func TestShorten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "  abc ": "abc", "abcde": "abcde", "abcdef": "abcde...", "abcd ef": "abcd...", "éèêëēx": "éèêëē...",
	} {
		if got := Shorten(text, 5); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
