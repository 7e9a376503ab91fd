package exchange

import (
	"strings"

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
	if label := specificLabel(in.Labels); strings.EqualFold(label, "person") {
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
	e := r.newExtras(line, Graphiti)
	w := in.relationship(r.Reader, line, e)
	w.Key, w.From, w.To = r.relationshipKey(in), r.entityKey(in.Source), r.entityKey(in.Target)
	e.put("episodes", in.Episodes)
	w.Properties = e.json()
	r.emitRelationship(line, w)
}
