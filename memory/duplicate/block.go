package duplicate

import (
	"slices"
	"strings"
)

const maxBlocks = 40 // of a node

// blocks returns the words by which a node meets those that may be the same. A word that many nodes have counts little, because
// candidates come in the order of how rare their common words are.
func (p *profile) blocks() []string {
	var found []string
	add := func(sort string, parts ...string) {
		if text := strings.Join(parts, " "); strings.TrimSpace(text) != "" {
			found = append(found, sort+" "+text)
		}
	}
	for _, email := range p.emails {
		add("email", email)
		local, _, _ := strings.Cut(email, "@")
		add("local", local)
	}
	for key, f := range p.fields {
		if f.sort == numberSort || f.sort == dateSort {
			add(key, f.value)
		}
	}
	slices.Sort(found) // fields come in any order
	for _, n := range p.names {
		if p.isPerson() {
			personBlocks(add, n)
		} else {
			thingBlocks(add, n)
		}
	}
	var distinct []string
	for _, b := range found {
		if !slices.Contains(distinct, b) {
			distinct = append(distinct, b)
		}
	}
	return distinct[:min(len(distinct), maxBlocks)]
}

func personBlocks(add func(sort string, parts ...string), n name) {
	given, family := n.core[0], n.core[len(n.core)-1]
	if len(n.core) == 1 {
		add("word", sound(given))
		for _, f := range formal[given] {
			add("word", sound(f))
		}
		return
	}
	add("word", sound(given))
	add("word", sound(family))
	for _, full := range append(formal[given], given) {
		add("name", full[:1], sound(family))
		add("name", family[:1], sound(full)) // swapped, or the family name is misspelt
		if full != given {
			add("word", sound(full))
		}
	}
	add("name", given[:1], family[:min(4, len(family))])
	add("local", given+"."+family)
	add("local", given+family)
	add("local", given[:1]+family)
}

func thingBlocks(add func(sort string, parts ...string), n name) {
	joined := n.whole
	add("joined", n.sound)
	add("begin", joined[:min(5, len(joined))])
	for _, w := range n.core {
		add("word", sound(w))
	}
	if len(n.core) == 1 && len(joined) <= 6 {
		add("letters", joined)
	}
	for _, letters := range n.letters {
		add("letters", letters)
	}
}
