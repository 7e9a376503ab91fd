// Package injection finds text in sources that looks like an instruction to the agent that will read it, rather than like
// information: prompt injection. It goes by the forms of phrases, which forms/*.txt lists for each language, and by imitations of
// turns and of Kith's own lines. It needs no language model.
//
// The marks are a hint, not a barrier: a careful attacker can phrase an instruction that no form matches, and a false fact needs no
// instruction at all. What a reader may do must not depend on marks alone.
package injection

import (
	"cmp"
	"context"
	"slices"

	"kith/text/steps"
)

// Kind names what a text tries to do. The words are stable: callers may store them.
type Kind string

// The kinds of marks.
const (
	Override   Kind = "override"   // replaces or voids the instructions of the reader
	Turn       Kind = "turn"       // imitates a turn of a system, developer, tool, user or assistant
	Address    Kind = "address"    // speaks to the AI that reads it
	Order      Kind = "order"      // orders to call tools, to send, delete or reveal something, or to keep it from the user
	Exfiltrate Kind = "exfiltrate" // makes data leave in an address that is fetched or rendered
	Remember   Kind = "remember"   // orders to store something, or claims what the user has allowed
	Context    Kind = "context"    // imitates headings and lines of a context
	Hidden     Kind = "hidden"     // is not visible to people
)

// Mark is a part of a text that looks like an instruction. Marks of different kinds may overlap.
type Mark struct {
	Kind     Kind
	From, To int // in bytes
}

const (
	maxScanned = 1 << 20 // bytes of a text that are read
	maxMarks   = 100     // of a text
)

// Marks returns the parts of a text that look like instructions to the agent that reads it, at most 100, in the order of the text.
// It takes time in proportion to the length of the text, of which it reads the first MiB. It returns the context's error if that is
// done before the reading is.
func Marks(ctx context.Context, text string) ([]Mark, error) {
	c := steps.Begin(ctx)
	all := marks(c, text[:min(len(text), maxScanned)], false)
	if c.Stopped() {
		return nil, ctx.Err()
	}
	return all, nil
}

// found is a mark that may count: a weak one only if other signs support it.
type found struct {
	Mark
	weak      bool
	supported bool // a weak one by others near it
}

// marks finds marks. A text that was hidden, such as one in base64, needs no other sign for what is weak elsewhere.
func marks(c *steps.Counter, text string, wasHidden bool) []Mark {
	s := scratches.Get().(*scratch)
	s.reset(c, text)
	s.phrases()
	s.structure()
	chosen := s.chosen(wasHidden)
	s.text, s.Counter = "", nil
	scratches.Put(s)
	return chosen
}

// near is the distance, in bytes, within which signs support each other; weak ones of different kinds do so within nearer.
const (
	near   = 1000
	nearer = 250
)

// chosen returns the marks that count.
func (s *scratch) chosen(wasHidden bool) []Mark {
	slices.SortFunc(s.found, func(a, b found) int { return cmp.Compare(a.From, b.From) })
	s.support()
	var all []Mark
	for _, f := range s.found {
		concealed := s.concealed(f.Mark)
		if !f.weak || f.supported || concealed || wasHidden {
			all = append(all, f.Mark)
			if concealed && f.Kind != Hidden {
				all = append(all, Mark{Hidden, f.From, f.To})
			}
		}
	}
	return merged(all)
}

// support finds the weak marks that have others near them. It looks at the marks in order, and then in the opposite order.
func (s *scratch) support() {
	const none = -1 << 40
	strong, weak, other := none, found{Mark: Mark{To: none}}, found{Mark: Mark{To: none}}
	look := func(f *found, distance func(of Mark) int) {
		switch {
		case !f.weak:
			return
		case weak.Kind != f.Kind && distance(weak.Mark) < nearer, other.Kind != f.Kind && other.Kind != "" && distance(other.Mark) < nearer:
			f.supported = true
		}
		if weak.Kind != f.Kind {
			other = weak
		}
		weak = *f
	}
	for i := range s.found {
		f := &s.found[i]
		if !f.weak {
			strong = max(strong, f.To)
		}
		f.supported = f.supported || f.From-strong < near
		look(f, func(of Mark) int { return f.From - of.To })
	}
	strong, weak, other = -none, found{Mark: Mark{From: -none}}, found{Mark: Mark{From: -none}}
	for i := range slices.Backward(s.found) {
		f := &s.found[i]
		if !f.weak {
			strong = f.From
		}
		f.supported = f.supported || strong-f.To < near
		look(f, func(of Mark) int { return of.From - f.To })
	}
}

// concealed reports whether a mark touches a part of the text that people do not see.
func (s *scratch) concealed(m Mark) bool {
	i, _ := slices.BinarySearchFunc(s.unseen, m.From, func(p span, at int) int { return cmp.Compare(p.to, at+1) })
	return i < len(s.unseen) && s.unseen[i].from < m.To
}

// merged sorts marks, and joins those of one kind that overlap.
func merged(all []Mark) []Mark {
	slices.SortFunc(all, func(a, b Mark) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To))
	})
	kept := all[:0]
	for _, m := range all {
		if n := len(kept); n > 0 && kept[n-1].Kind == m.Kind && m.From <= kept[n-1].To {
			kept[n-1].To = max(kept[n-1].To, m.To)
			continue
		}
		kept = append(kept, m)
	}
	slices.SortFunc(kept, func(a, b Mark) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	})
	return kept[:min(len(kept), maxMarks)]
}
