package demo

import (
	"fmt"
	"time"

	"kith/graph"
)

// confidence is the confidence of the demo's nodes by state. Other states have the service's default.
var confidence = map[string]float64{"core": 0.95, "active": 0.85}

// turnTime is the time between two turns of a conversation.
const turnTime = 70 * time.Second

// memoryWrites returns one request for nodes and relationships, and one for each conversation.
func (l *dataset) memoryWrites(now time.Time) (*graph.MemoryWrite, []graph.SourceWrite, error) {
	clock, err := newClock(now)
	if err != nil {
		return nil, nil, err
	}
	sources := make([]graph.SourceWrite, len(l.Conversations))
	for i := range l.Conversations {
		if sources[i], err = l.Conversations[i].sourceWrite(clock); err != nil {
			return nil, nil, err
		}
	}
	memory := &graph.MemoryWrite{UserID: User, Strict: true}
	known := firstMentions(sources)
	for _, group := range []struct {
		kind  string
		nodes []node
	}{{"person", l.Persons}, {"concept", l.Concepts}, {"entity", l.Entities}} {
		for _, n := range group.nodes {
			write, err := n.nodeWrite(group.kind, known(fullKey(n.Key)), clock)
			if err != nil {
				return nil, nil, err
			}
			memory.Nodes = append(memory.Nodes, write)
		}
	}
	for _, r := range l.Relationships {
		from, to := known(fullKey(r.From)), known(fullKey(r.To))
		if from.Before(to) {
			from = to
		}
		memory.Relationships = append(memory.Relationships, r.relationshipWrite(from))
	}
	memory.Nodes[0].Properties = properties{LoadedAt: now}.raw() // the owner is the first person
	return memory, sources, nil
}

// firstMentions returns a function that returns when a node was first mentioned, or when the first conversation ended.
func firstMentions(sources []graph.SourceWrite) func(key string) time.Time {
	first := map[string]time.Time{}
	for i := len(sources) - 1; i >= 0; i-- {
		for _, key := range sources[i].Mentions {
			first[key] = sources[i].EndedAt.Value
		}
	}
	return func(key string) time.Time {
		if at, ok := first[key]; ok {
			return at
		}
		return sources[0].EndedAt.Value
	}
}

func (n *node) nodeWrite(kind string, since time.Time, clock relativeClock) (graph.NodeWrite, error) {
	w := graph.NodeWrite{
		Kind: kind, EntityKey: fullKey(n.Key), Name: graph.Some(n.Name), Description: graph.Some(n.Description),
		State: graph.Some(n.State), Salience: graph.Some(n.Salience),
		CreatedAt: graph.Some(since), UpdatedAt: graph.Some(since),
	}
	if n.TTLPolicy != "" {
		w.TTLPolicy = graph.Some(n.TTLPolicy)
	}
	if confidence, ok := confidence[n.State]; ok {
		w.Confidence = graph.Some(confidence)
	}
	switch kind {
	case "person":
		w.IsOwner = graph.Some(n.Owner)
	case "concept":
		w.IsGoal = graph.Some(n.Goal)
	case "entity":
		w.Type = graph.Some(n.Type)
	}
	if n.Accessed == "" {
		return w, nil
	}
	accessed, err := clock.parse(n.Accessed)
	w.LastAccessedAt = graph.Some(accessed)
	return w, err
}

func (r *relationship) relationshipWrite(since time.Time) graph.RelationshipWrite {
	return graph.RelationshipWrite{
		From: fullKey(r.From), To: fullKey(r.To), Type: r.Type,
		Description: graph.Some(r.Description), RelationshipType: graph.Some(r.Word), State: graph.Some("active"),
		Salience: graph.Some(r.Salience), Attitude: graph.Some(r.Attitude), Proximity: graph.Some(r.Proximity),
		ValidFrom: graph.Some(since),
	}
}

func (c *conversation) sourceWrite(clock relativeClock) (graph.SourceWrite, error) {
	start, err := clock.parse(c.At)
	if err != nil {
		return graph.SourceWrite{}, err
	}
	key := fullKey("conversation", c.Key)
	w := graph.SourceWrite{
		UserID: User, Strict: true, EntityKey: key, ContextType: graph.Some(c.ContextType),
		StartedAt: graph.Some(start), EndedAt: graph.Some(start.Add(time.Duration(len(c.Turns)) * turnTime)),
		Summary: graph.Some(c.Summary), Mentions: fullKeys(c.Mentions),
	}
	for i, text := range c.Turns {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		w.Messages = append(w.Messages, graph.MessageWrite{
			EntityKey: fmt.Sprintf("%s/%d", key, i+1), Role: role, Text: text,
			At: graph.Some(start.Add(time.Duration(i) * turnTime)),
		})
	}
	return w, nil
}
