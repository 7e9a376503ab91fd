package redirect

import (
	"net/http"
	"net/url"
	"testing"
)

func TestSameHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		follows  bool
	}{
		{"http://kith:8080/a", "http://kith:8080/b", true},
		{"http://kith:8080/a", "https://kith/a", true},
		{"https://kith/a", "http://kith/a", false},
		{"http://kith:8080/a", "http://kith:9090/a", false},
		{"https://kith/a", "https://kith.evil.example/a", false},
		{"https://kith/a", "https://evil.example/a", false},
	} {
		from, _ := url.Parse(c.from)
		to, _ := url.Parse(c.to)
		if err := SameHost(&http.Request{URL: to}, []*http.Request{{URL: from}}); (err == nil) != c.follows {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
		}
	}
	same := &http.Request{URL: &url.URL{Scheme: "http", Host: "kith"}}
	if SameHost(same, []*http.Request{same, same, same, same, same}) == nil {
		t.Error("goes round in circles")
	}
}
