package trust

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Evidence of parts is stored and read again, adds no trust, and alone leaves a text that is quoted.
func TestEvidenceOfParts(t *testing.T) {
	t.Parallel()
	mail := Evidence{Sources: []string{"m1"}, Origin: External, Author: "eve@example.com", Trust: 0.4}
	chat := Evidence{Sources: []string{"c1"}, Origin: Assistant, Trust: 0.8}
	caller := Evidence{Origin: External, Trust: 0.4, Parts: []string{"description", "type"}}
	part := Evidence{Sources: []string{"c1", "c2"}, Origin: Assistant, Trust: 0.8, Parts: []string{"description"}}
	for what, c := range map[string]struct {
		all    []Evidence
		trust  float64
		origin string
	}{
		"none":               {nil, 0, ""},
		"a mail":             {[]Evidence{mail}, 0.4, External},
		"a part of a mail":   {[]Evidence{caller, mail}, 0.4, External},
		"parts of all":       {[]Evidence{caller, mail, part, chat}, 0.88, Assistant},
		"what a caller gave": {[]Evidence{caller}, 0.4, External},
		"only parts":         {[]Evidence{caller, part}, 0.4, External},
		"a believed part":    {[]Evidence{part}, Quoted, Assistant},
	} {
		var added []Evidence
		for _, e := range c.all {
			added = Add(Add(added, e), e)
		}
		if len(added) != len(c.all) {
			t.Errorf("%s: %d of %d", what, len(added), len(c.all))
		}
		if diff := cmp.Diff(added, Parse(Texts(added))); diff != "" {
			t.Errorf("%s: stored and read (-want +got):\n%s", what, diff)
		}
		if got, origin := Combine(added); got != c.trust || origin != c.origin {
			t.Errorf("%s: %v, %q; want %v, %q", what, got, origin, c.trust, c.origin)
		}
	}
}

// Every role is known by the words of other programs, in any case and between blanks. Other roles are free texts.
func TestRoles(t *testing.T) {
	t.Parallel()
	for role, words := range map[string][]string{
		"user": {"user", "human"}, "assistant": {"assistant", "ai", "model", "bot"}, "tool": {"tool"}, "function": {"function"}, "tool_result": {"tool_result"},
		"system": {"system"}, "developer": {"developer"},
	} {
		for _, word := range words {
			for _, written := range []string{word, strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:], " " + word + "\n"} {
				if got := RoleOf(written); got != role || !IsRole(written) || OfRole(written, User) != OfRole(role, User) {
					t.Errorf("%q: %q from %s", written, got, OfRole(written, User))
				}
			}
		}
	}
	for _, other := range []string{"", " ", "Ada", " Ada", "robot", "users"} {
		if got := RoleOf(other); got != other || IsRole(other) {
			t.Errorf("%q: %q", other, got)
		}
	}
}
