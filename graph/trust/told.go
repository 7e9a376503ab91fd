package trust

import "kith/text/markup"

// Told is how far something stored is believed, and who told it. Trust is nil for what is believed.
type Told struct {
	Trust  *float64 `json:"trust,omitempty" doc:"0 to 1; absent: a caller wrote it, and it is believed"`
	Origin string   `json:"origin,omitempty" enum:"user,assistant,tool,external,import" doc:"of the most believed source"`
}

// Doubted is of a text that is not believed, and of which nobody knows any more who told it.
var Doubted = Told{Trust: new(float64)} //nolint:gochecknoglobals // a constant

// NewTold returns how far something is believed from its stored trust, which may be missing, and its origin.
func NewTold(stored any, origin string) Told {
	t := Told{Origin: origin}
	if value, ok := stored.(float64); ok {
		t.Trust = &value
	}
	return t
}

// Believed returns the trust.
func (t Told) Believed() float64 {
	if t.Trust == nil {
		return 1
	}
	return *t.Trust
}

// Least returns the lower trust of two, for a line that shows both.
func (t Told) Least(other Told) Told {
	if other.Believed() < t.Believed() {
		return other
	}
	return t
}

// Line returns a line about something stored: as it is, or quoted with its origin if it has little trust. A prompt must not present
// what others wrote as an instruction.
func (t Told) Line(line string) string {
	if t.Believed() >= Plain {
		return line
	}
	return markup.Said(line) + " (" + Words(t.Origin) + ")"
}

// Words names an origin in a line.
func Words(origin string) string {
	switch origin {
	case External:
		return "unverified, from a mail or document of others"
	case Tool:
		return "unverified, from a tool"
	case Assistant:
		return "unverified, from an assistant"
	case Import:
		return "unverified, from an import"
	}
	return "unverified"
}
