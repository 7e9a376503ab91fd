package exchange

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"kith/internal/bounds"
)

func (r *graphitiReader) addEntity(line int64, in *graphitiNode) {
	name, ok := r.readName(line, "name", in.Name)
	if !ok {
		return
	}
	n := &wireNode{
		Kind: "entity", EntityKey: r.entityKey(in.UUID), Name: name,
		Description: r.limitText(line, "summary", in.Summary, bounds.TextLength),
		CreatedAt:   formatTime(r.readTime(line, "created_at", in.CreatedAt)),
	}
	if label := in.label(); strings.EqualFold(label, "person") {
		n.Kind = "person"
	} else {
		n.Type = r.cleanWord(line, "labels", label, maxWord)
	}
	e := r.newExtras(line, Graphiti)
	e.put("uuid", in.UUID)
	e.put("group_id", in.GroupID)
	e.put("labels", in.Labels)
	e.put("attributes", in.Attributes)
	n.Properties = e.json()
	r.emitNode(line, n)
}

// label returns the label with the type of an entity. All entities have the label Entity, and some have a label for
// their group.
func (in *graphitiNode) label() string {
	for _, label := range in.Labels {
		if label != "Entity" && !strings.HasPrefix(label, "Entity_") {
			return label
		}
	}
	return ""
}

// addEpisode adds a note that began and ended at the time of the episode.
func (r *graphitiReader) addEpisode(line int64, in *graphitiNode) {
	created, at := r.readTime(line, "created_at", in.CreatedAt), r.readTime(line, "valid_at", in.ValidAt)
	if at.IsZero() {
		at = created
	}
	n := &wireNode{
		Kind: "source", EntityKey: r.entityKey(in.UUID), Name: r.cleanWord(line, "name", in.Name, bounds.NameLength),
		ContentType: "text-note", SourceType: "text-import",
		StartedAt: formatTime(at), EndedAt: formatTime(at), CreatedAt: formatTime(created),
	}
	if in.Content != nil {
		n.Summary = r.limitText(line, "content", *in.Content, bounds.TextLength)
	}
	e := r.newExtras(line, Graphiti)
	e.put("uuid", in.UUID)
	e.put("group_id", in.GroupID)
	e.put("source", in.Source)
	e.put("source_description", in.SourceDescription)
	n.Properties = e.json()
	r.emitNode(line, n)
}

// addMention adds a mention by an episode. Mentions have no properties.
func (r *graphitiReader) addMention(line int64, in *graphitiEdge) {
	r.emitRelationship(line, &wireRelationship{
		Key: r.relationshipKey(in), From: r.entityKey(in.Source), To: r.entityKey(in.Target), Type: "mentions",
	})
}

func (r *graphitiReader) relationshipKey(in *graphitiEdge) string {
	if in.UUID == "" {
		return ""
	}
	return r.entityKey(in.UUID)
}

func (r *graphitiReader) addFact(line int64, in *graphitiEdge) {
	from, to := r.readValidity(line, in)
	e := r.newExtras(line, Graphiti)
	w := &wireRelationship{
		Key: r.relationshipKey(in), From: r.entityKey(in.Source), To: r.entityKey(in.Target),
		Description: r.limitText(line, "fact", in.Fact, bounds.TextLength), ValidFrom: formatTime(from), ValidTo: formatTime(to),
	}
	w.setType(cmp.Or(in.Name, "RELATES_TO"), e)
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
	r.emitRelationship(line, w)
}

// readValidity returns when a fact was true. A fact that Graphiti expired without a date of invalidity ended when it
// was expired. A fact without a beginning is taken to be true since it was written down.
func (r *graphitiReader) readValidity(line int64, in *graphitiEdge) (from, to time.Time) {
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
