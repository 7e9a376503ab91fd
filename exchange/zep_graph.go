package exchange

import (
	"encoding/json"
	"slices"
	"strings"

	"kith/internal/bounds"
)

type zepNode struct {
	UUID       string          `json:"uuid"`
	UserUUID   string          `json:"user_uuid"`
	GraphUUID  string          `json:"graph_uuid"`
	Name       string          `json:"name"`
	Labels     []string        `json:"labels"`
	Summary    string          `json:"summary"`
	CreatedAt  json.RawMessage `json:"created_at"`
	Attributes json.RawMessage `json:"attributes"`
	Episodes   []string        `json:"episode_uuids"`
}

type zepEdge struct {
	fact
	UserUUID  string   `json:"user_uuid"`
	GraphUUID string   `json:"graph_uuid"`
	Episodes  []string `json:"episode_uuids"`
}

// addNode adds an entity, and the mentions of it. The node with the label User is the person who the user is.
func (r *zepReader) addNode(line int64, in *zepNode) error {
	n, err := r.readNode(line, in)
	if n == nil {
		return err
	}
	label := specificLabel(in.Labels)
	switch {
	case in.UserUUID != "" && slices.ContainsFunc(in.Labels, func(label string) bool { return strings.EqualFold(label, "User") }):
		n.EntityKey = r.personKey(n.UserID)
		if err := r.seen.Put("node "+in.UUID, n.EntityKey); err != nil {
			return err
		}
		r.emitUser(line, n)
	case strings.EqualFold(label, "person"):
		n.Kind = "person"
		r.emitNode(line, n)
	default:
		n.Kind, n.Type = "entity", r.cleanWord(line, "labels", label, maxWord)
		r.emitNode(line, n)
	}
	return r.addMentions(line, n.EntityKey, in.Episodes)
}

// addObservation adds what Zep concluded from several episodes.
func (r *zepReader) addObservation(line int64, in *zepNode) error {
	n, err := r.readNode(line, in)
	if n == nil {
		return err
	}
	n.Kind = "concept"
	r.emitNode(line, n)
	return r.addMentions(line, n.EntityKey, in.Episodes)
}

// readNode converts what nodes and observations have in common. It returns nil after adding a fault.
func (r *zepReader) readNode(line int64, in *zepNode) (*wireNode, error) {
	if in.UUID == "" {
		r.addFault(line, "uuid", "is required")
		return nil, nil
	}
	user, ok, err := r.userOf(line, in.UserUUID)
	if err != nil || !ok {
		return nil, err
	}
	name, ok := r.readName(line, "name", in.Name)
	if !ok {
		return nil, nil
	}
	e := r.newExtras(line, Zep)
	e.put("uuid", in.UUID)
	e.put("graph_uuid", in.GraphUUID)
	e.put("labels", in.Labels)
	e.put("attributes", in.Attributes)
	return &wireNode{
		EntityKey: r.key(user, in.UUID), UserID: user, Name: name,
		Description: r.limitText(line, "summary", in.Summary, bounds.TextLength),
		CreatedAt:   formatTime(r.readTime(line, "created_at", in.CreatedAt)), Properties: e.json(),
	}, nil
}

// addMentions adds mentions by the sources that episodes became.
func (r *zepReader) addMentions(line int64, key string, episodes []string) error {
	for _, uuid := range episodes {
		source, found, err := r.seen.Get("episode " + uuid)
		switch {
		case err != nil:
			return err
		case !found:
			r.warnOnce(line, "episode_uuids", "has episodes that do not precede the node in the file: it is not linked to them")
		default:
			r.emitRelationship(line, &wireRelationship{From: source, To: key, Type: "mentions"})
		}
	}
	return nil
}

func (r *zepReader) addEdge(line int64, in *zepEdge) error {
	if !r.checkEnds(line, &in.fact) {
		return nil
	}
	user, ok, err := r.userOf(line, in.UserUUID)
	if err != nil || !ok {
		return err
	}
	e := r.newExtras(line, Zep)
	w := in.relationship(r.Reader, line, e)
	if in.UUID != "" {
		w.Key = r.key(user, in.UUID)
	}
	if w.From, err = r.nodeKey(user, in.Source); err != nil {
		return err
	}
	if w.To, err = r.nodeKey(user, in.Target); err != nil {
		return err
	}
	e.put("graph_uuid", in.GraphUUID)
	e.put("episodes", in.Episodes)
	w.Properties = e.json()
	r.emitRelationship(line, w)
	return nil
}
