package graph

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// ItemKind is the kind of items: a JSON object under a namespace and a name.
var ItemKind = Kind{Name: "item", Label: "Item", group: itemGroup}

// nameMark begins the name of an item in its natural key. It sorts before all parts of a namespace, so that the items of a
// namespace come before those of the namespaces within it.
const nameMark = "\x1e"

// itemKey returns the part of the natural key of an item after the user.
func itemKey(namespace []string, name string) string {
	return NamespacePrefix(namespace) + nameMark + name + KeySeparator
}

// NamespacePrefix returns the prefix, after the user, of the natural keys of the items in a namespace and in those within it.
func NamespacePrefix(namespace []string) string {
	var b strings.Builder
	for _, part := range namespace {
		b.WriteString(part)
		b.WriteString(KeySeparator)
	}
	return b.String()
}

// IsWithin reports whether a namespace is another one or within it.
func IsWithin(namespace, other []string) bool {
	return len(namespace) >= len(other) && slices.Equal(namespace[:len(other)], other)
}

// Namespace checks a namespace, or a prefix of one: its parts are words, 512 characters together.
func (f *Faults) Namespace(at fault.Path, namespace []string) {
	if !f.Items(at, len(namespace), bounds.NamespaceParts) {
		return
	}
	length := 0
	for i, part := range namespace {
		f.Word(at.Index(i), part, 128)
		length += utf8.RuneCountInString(part)
	}
	if length > bounds.NameLength {
		f.Add(at, fault.TooLong, "must have at most %d characters in all", bounds.NameLength)
	}
}

// value checks the value of an item: a JSON object.
func (f *Faults) value(at fault.Path, raw json.RawMessage) {
	f.object(at, raw, bounds.ValueSize, bounds.ValueDepth)
}

// checkItem checks that a write has what an item needs.
func (w *NodeWrite) checkItem(f *Faults, at fault.Path) {
	var own OwnFields
	if w.OwnFields != nil {
		own = *w.OwnFields
	}
	switch {
	case own.Namespace.Null, own.Namespace.Given && len(own.Namespace.Value) == 0:
		f.Add(at.Field("namespace"), fault.WrongCount, "must have at least one part")
	case !own.Namespace.Given && w.EntityKey == "":
		f.Add(at.Field("namespace"), fault.Required, "is required unless entity_key is given")
	}
	if own.Value.Null {
		f.Add(at.Field("value"), fault.Required, "must not be null")
	}
}

// settleItem fills in what a write of an item omitted: its value, and a description with the texts of the value.
func (w *NodeWrite) settleItem(next Properties, old *stored) {
	if next["value"] == nil {
		next["value"] = "{}"
	}
	if w.Description.Given {
		return
	}
	if old == nil || withoutNUL(old.Text("description")) == textsOf(old.Text("value")) {
		next["description"] = textsOf(next.Text("value"))
	}
}

// textsOf returns the texts in a JSON value in their order, one a line, at most as many characters as a description may have.
func textsOf(value string) string {
	var texts []string
	in := json.NewDecoder(strings.NewReader(value))
	var inObject []bool // of each level
	key := false        // the next text is the name of a field
	for {
		token, err := in.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				inObject = append(inObject, t == '{')
			} else {
				inObject = inObject[:len(inObject)-1]
			}
			key = len(inObject) > 0 && inObject[len(inObject)-1]
			continue
		case string:
			if !key && strings.TrimSpace(t) != "" {
				texts = append(texts, t)
			}
		}
		key = len(inObject) > 0 && inObject[len(inObject)-1] && !key
	}
	text, _ := clip.Runes(withoutNUL(strings.Join(texts, "\n")), bounds.TextLength)
	return text
}

// withoutNUL returns a text that Kith has taken from a JSON value with blanks for NUL characters, which texts must not have.
func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", " ") }

// dropNUL removes NUL characters from the texts that earlier versions of Kith have taken from JSON values as they were: exports of them
// have these.
func (w *NodeWrite) dropNUL() {
	switch w.Kind {
	case ItemKind.Name:
		w.Description.Value = withoutNUL(w.Description.Value)
	case MessageKind.Name:
		if w.OwnFields != nil && w.Parts.Given {
			w.Text.Value = withoutNUL(w.Text.Value)
		}
	}
}
