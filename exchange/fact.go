package exchange

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"kith/internal/bounds"
)

// fact is an edge of Graphiti, and of Zep, which is built on it.
type fact struct {
	UUID       string          `json:"uuid"`
	Source     string          `json:"source_node_uuid"`
	Target     string          `json:"target_node_uuid"`
	GroupID    string          `json:"group_id"`
	Name       string          `json:"name"`
	Fact       string          `json:"fact"`
	CreatedAt  json.RawMessage `json:"created_at"`
	ValidAt    json.RawMessage `json:"valid_at"`
	InvalidAt  json.RawMessage `json:"invalid_at"`
	ExpiredAt  json.RawMessage `json:"expired_at"`
	Attributes json.RawMessage `json:"attributes"`
}

// checkEnds adds a fault if a fact lacks an end.
func (r *Reader) checkEnds(line int64, in *fact) bool {
	for _, end := range []struct{ location, uuid string }{{"source_node_uuid", in.Source}, {"target_node_uuid", in.Target}} {
		if end.uuid == "" {
			r.addFault(line, end.location, "is required")
			return false
		}
	}
	return true
}

// relationship converts a fact without its ends, and adds its other values to the properties.
func (in *fact) relationship(r *Reader, line int64, e *extras) *wireRelationship {
	from, to := r.readValidity(line, in)
	w := &wireRelationship{
		Description: r.limitText(line, "fact", in.Fact, bounds.TextLength), ValidFrom: formatTime(from), ValidTo: formatTime(to),
	}
	w.setType(cmp.Or(in.Name, "RELATES_TO"), e)
	if in.UUID != "" { // there may be several facts of one name
		w.Qualifier = qualifierOf(in.UUID)
	} else if in.Fact != "" { // the text is all that tells it from another one
		w.Qualifier = EntityKey("fact", in.Name, in.Fact)
	}
	e.put("uuid", in.UUID)
	e.put("group_id", in.GroupID)
	for _, p := range []struct {
		name  string
		value json.RawMessage
	}{{"created_at", in.CreatedAt}, {"expired_at", in.ExpiredAt}, {"attributes", in.Attributes}} {
		e.put(p.name, p.value)
	}
	return w
}

// readValidity returns when a fact was true. A fact that was expired without a date of invalidity ended when it was
// expired. A fact without a beginning is taken to be true since it was written down.
func (r *Reader) readValidity(line int64, in *fact) (from, to time.Time) {
	from, to = r.readTime(line, "valid_at", in.ValidAt), r.readTime(line, "invalid_at", in.InvalidAt)
	if to.IsZero() {
		to = r.readTime(line, "expired_at", in.ExpiredAt)
	}
	if from.IsZero() {
		from = r.readTime(line, "created_at", in.CreatedAt)
	}
	if !to.IsZero() && (from.IsZero() || !from.Before(to)) {
		from = to.Add(-time.Second)
		r.addWarning(line, "valid_at", "is not before the fact's end: it was set to a second before that")
	}
	return from, to
}

// specificLabel returns the label with the type of an entity. All entities have the label Entity, and some have a label
// for their group.
func specificLabel(labels []string) string {
	for _, label := range labels {
		if label != "Entity" && !strings.HasPrefix(label, "Entity_") {
			return label
		}
	}
	return ""
}
