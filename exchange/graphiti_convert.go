package exchange

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"kith/graph"
)

func (r *graphitiReader) entity(line int64, in *graphitiNode) {
	name, ok := r.name(line, "name", in.Name)
	if !ok {
		return
	}
	n := &wireNode{
		Kind: "entity", EntityKey: r.key(in.UUID), Name: name,
		Description: r.text(line, "summary", in.Summary, graph.MaxTextLength),
		CreatedAt:   stamp(r.time(line, "created_at", in.CreatedAt)),
	}
	if label := in.label(); strings.EqualFold(label, "person") {
		n.Kind = "person"
	} else {
		n.Type = r.word(line, "labels", label, maxWord)
	}
	e := r.extras(line, Graphiti)
	e.put("uuid", in.UUID)
	e.put("group_id", in.GroupID)
	e.put("labels", in.Labels)
	e.put("attributes", in.Attributes)
	n.Properties = e.json()
	r.Reader.node(line, n)
}

// label is the one that says what an entity is: all have the label Entity, and some one for their group.
func (in *graphitiNode) label() string {
	for _, label := range in.Labels {
		if label != "Entity" && !strings.HasPrefix(label, "Entity_") {
			return label
		}
	}
	return ""
}

// episode makes a note that began and ended when the episode was.
func (r *graphitiReader) episode(line int64, in *graphitiNode) {
	created, at := r.time(line, "created_at", in.CreatedAt), r.time(line, "valid_at", in.ValidAt)
	if at.IsZero() {
		at = created
	}
	n := &wireNode{
		Kind: "source", EntityKey: r.key(in.UUID), Name: r.word(line, "name", in.Name, graph.MaxNameLength),
		ContentType: "text-note", SourceType: "text-import",
		StartedAt: stamp(at), EndedAt: stamp(at), CreatedAt: stamp(created),
	}
	if in.Content != nil {
		n.Summary = r.text(line, "content", *in.Content, graph.MaxTextLength)
	}
	e := r.extras(line, Graphiti)
	e.put("uuid", in.UUID)
	e.put("group_id", in.GroupID)
	e.put("source", in.Source)
	e.put("source_description", in.SourceDescription)
	n.Properties = e.json()
	r.Reader.node(line, n)
}

// mention says what an episode mentions; such relationships have no properties.
func (r *graphitiReader) mention(line int64, in *graphitiEdge) {
	r.relationship(line, &wireRelationship{
		Key: r.relationshipKey(in), From: r.key(in.Source), To: r.key(in.Target), Type: "mentions",
	})
}

func (r *graphitiReader) relationshipKey(in *graphitiEdge) string {
	if in.UUID == "" {
		return ""
	}
	return r.key(in.UUID)
}

func (r *graphitiReader) fact(line int64, in *graphitiEdge) {
	from, to := r.validity(line, in)
	e := r.extras(line, Graphiti)
	w := &wireRelationship{
		Key: r.relationshipKey(in), From: r.key(in.Source), To: r.key(in.Target),
		Description: r.text(line, "fact", in.Fact, graph.MaxTextLength), ValidFrom: stamp(from), ValidTo: stamp(to),
	}
	w.name(cmp.Or(in.Name, "RELATES_TO"), e)
	e.put("uuid", in.UUID)
	e.put("group_id", in.GroupID)
	for _, p := range []struct {
		name  string
		value json.RawMessage
	}{{"created_at", in.CreatedAt}, {"expired_at", in.ExpiredAt}, {"attributes", in.Attributes}} {
		e.put(p.name, p.value)
	}
	e.put("episodes", in.Episodes)
	w.Properties = e.json()
	r.relationship(line, w)
}

// validity is when a fact was true. One that Graphiti gave up without knowing since when it is wrong ended then; of one
// that has no beginning it is known that it was true when it was written down.
func (r *graphitiReader) validity(line int64, in *graphitiEdge) (from, to time.Time) {
	from, to = r.time(line, "valid_at", in.ValidAt), r.time(line, "invalid_at", in.InvalidAt)
	if to.IsZero() {
		to = r.time(line, "expired_at", in.ExpiredAt)
	}
	if from.IsZero() {
		from = r.time(line, "created_at", in.CreatedAt)
	}
	if !to.IsZero() && (from.IsZero() || !from.Before(to)) {
		from = to.Add(-time.Second)
		r.warn(line, "valid_at", "is not before the fact's end: it was set to a second before that")
	}
	return from, to
}
