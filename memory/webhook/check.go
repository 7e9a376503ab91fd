package webhook

import (
	"net/url"
	"strconv"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/feed"
)

// Write describes a new webhook.
type Write struct {
	URL    string
	Kinds  []string // empty: all
	Ops    []string // empty: all
	Active bool
}

// Patch has what to change of a webhook; nil: nothing.
type Patch struct {
	URL        *string
	Kinds, Ops *[]string
	Active     *bool
}

const maxURL = 2048 // characters

func (s *Store) checkNew(w *Write, scope graph.Scope) error {
	f := &fault.List{}
	f.OptionalKey(fault.At("user_id"), scope.UserID)
	s.checkURL(f, w.URL)
	feed.Filter{Kinds: w.Kinds, Ops: w.Ops}.Check(f, fault.At)
	return f.Err()
}

func (s *Store) checkPatch(p *Patch) error {
	f, filter := &fault.List{}, feed.Filter{}
	if p.URL != nil {
		s.checkURL(f, *p.URL)
	}
	if p.Kinds != nil {
		filter.Kinds = *p.Kinds
	}
	if p.Ops != nil {
		filter.Ops = *p.Ops
	}
	filter.Check(f, fault.At)
	return f.Err()
}

// checkURL adds the faults of a receiver's address. A name is resolved, and checked again, with each connection.
func (s *Store) checkURL(f *fault.List, raw string) {
	at := fault.At("url")
	if !f.Word(at, raw, maxURL) {
		return
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" || strings.Contains(raw, " ") {
		f.Add(at, fault.Malformed, "must be a URL that begins with https:// or http://")
		return
	}
	if u.User != nil {
		f.Add(at, fault.NotAllowed, "must not have a user or password")
	}
	if strings.Contains(raw, "#") {
		f.Add(at, fault.NotAllowed, "must not have a fragment")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			f.Add(at, fault.Malformed, "must have a port from 1 to 65535, or none")
		}
	}
	if s.private {
		return
	}
	switch host := plainHost(u.Hostname()); {
	case isInner(host):
		f.Add(at, fault.NotAllowed, "must not be a name or an address of a private network")
	case isOddAddress(host):
		f.Add(at, fault.NotAllowed, "must have a name, or an address in its usual form: four decimal numbers, or IPv6 in brackets")
	}
}
