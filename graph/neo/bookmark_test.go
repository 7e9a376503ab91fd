package neo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// TestBookmarksStayFew checks that a team has few bookmarks, however many processes write. A write replaces those known before
// it, a read those it waited for, and only the last of the rest are kept: never that of a read in place of that of a write.
func TestBookmarksStayFew(t *testing.T) {
	t.Parallel()
	b := newBookmarks("neo4j+s://members")
	t.Cleanup(b.close)
	name, _ := b.Mark("acme")
	for i := range maxMarks + 9 {
		b.Receive(name, fmt.Sprintf("FB:%d FB:%d", i, i+1))
	}
	known := b.of("acme")
	if len(known) != maxMarks || known[maxMarks-1] != "FB:73" || known[0] != "FB:10" || len(b.of(all)) != maxMarks {
		t.Errorf("heard: %q, %q", known, b.of(all))
	}
	b.Receive(name, "FB:meanwhile")
	b.read("acme", known, neo4j.Bookmarks{"FB:seen"})
	if got := strings.Join(b.of("acme"), " "); got != "FB:meanwhile FB:seen" {
		t.Errorf("read: %q", got)
	}
	b.wrote("acme", b.of("acme"), b.of(all), neo4j.Bookmarks{"FB:mine"})
	if got := append(b.of("acme"), b.of(all)...); len(got) != 2 || got[0] != "FB:mine" || got[1] != "FB:mine" || len(b.of("other")) != 0 {
		t.Errorf("written: %q", got)
	}
	b.wrote("acme", b.of("acme"), b.of(all), neo4j.Bookmarks{"FB:mine"})
	if got := append(b.of("acme"), b.of(all)...); len(got) != 2 || got[0] != "FB:mine" || got[1] != "FB:mine" {
		t.Errorf("nothing was changed: %q", got)
	}
	var others []string
	for i := range maxSent + 9 { // those of other processes do not displace what was written here
		others = append(others, fmt.Sprint("FB:of-others-", i))
	}
	b.Receive(name, strings.Join(others, " "))
	if got := b.of("acme"); got[0] != "FB:mine" || got[len(got)-1] != "FB:of-others-24" {
		t.Errorf("beside those of others: %q", got)
	}
	if _, mark := b.Mark("acme"); !strings.HasPrefix(mark, "FB:of-others-9 ") || !strings.HasSuffix(mark, " FB:of-others-24") {
		t.Errorf("sent: %q", mark)
	}
	b.wrote("acme", b.of("acme"), b.of(all), neo4j.Bookmarks{"FB:mine"})
	b.Receive(name, "FB:old")
	b.read("acme", b.of("acme"), neo4j.Bookmarks{"FB:mine"})
	if got := strings.Join(b.of("acme"), " "); got != "FB:mine" {
		t.Errorf("a read of what it waited for: %q", got)
	}
	b.read("acme", nil, neo4j.Bookmarks{"FB:told"})
	if got := strings.Join(b.of("acme"), " "); got != "FB:mine FB:told" {
		t.Errorf("read without waiting: %q", got)
	}
	for i := range maxMarks {
		b.read("acme", nil, neo4j.Bookmarks{fmt.Sprintf("FB:other%d", i)})
	}
	if got := b.of("acme"); len(got) != maxMarks || got[0] != "FB:mine" {
		t.Errorf("reads replace the bookmark of a write: %q", got)
	}
	for uri, want := range map[string]bool{"bolt://x": false, "bolt+s://x": false, "neo4j://x": true, "neo4j+ssc://x": true} {
		if got := newBookmarks(uri); (got != nil) != want || len(got.of("acme")) != 0 {
			t.Errorf("%s: %v", uri, got)
		} else {
			got.close()
		}
	}
}
