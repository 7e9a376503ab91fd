package mcp

import (
	"context"
	"fmt"
	"strings"

	"kith/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/markup"
)

// relationshipsEach is how many come of each direction (S2-17).
const relationshipsEach = 50

type relationshipsInput struct {
	Caller
	EntityID   string `json:"entity_id" minLength:"1" maxLength:"256" doc:"entity key of what is asked about"`
	EntityKind string `json:"entity_kind" enum:"person,concept,entity,project,task,plan,goal,milestone,document,output,risk,decision,requirement" doc:"its kind"`
	Direction  string `json:"direction,omitempty" enum:"outgoing,incoming,both" doc:"seen from entity_id; left out: both"`
}

type relationshipsOutput struct {
	Outgoing  []edge `json:"outgoing"`
	Incoming  []edge `json:"incoming"`
	Truncated bool   `json:"truncated" doc:"there are more than 50 of a direction"`
}

// edge is a relationship with its key, by which it can be forgotten, and what is at its other end.
type edge struct {
	Key         string        `json:"key"`
	Type        string        `json:"type"`
	Description string        `json:"description"`
	Node        graph.NodeRef `json:"node" doc:"the other end"`
}

func (s *Server) addRelationships() {
	add(s, tool{"get_entity_relationships", "The relationships of one thing", reads, contract.Output[relationshipsOutput](), guide("get_entity_relationships")},
		contract.Input[relationshipsInput](), s.relationships)
}

func (s *Server) relationships(ctx context.Context, in *relationshipsInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	kind, _ := graph.KindOf(in.EntityKind)
	out := relationshipsOutput{Outgoing: []edge{}, Incoming: []edge{}}
	for direction, list := range map[string]*[]edge{"outgoing": &out.Outgoing, "incoming": &out.Incoming} {
		if in.Direction != "" && in.Direction != "both" && in.Direction != direction {
			continue
		}
		page, err := s.Store.Relationships(ctx, scope, graph.RelationshipList{Kind: kind, Key: in.EntityID, Direction: direction, Limit: relationshipsEach})
		if err != nil {
			return answer{}, err
		}
		for i := range page.Relationships {
			r := &page.Relationships[i]
			*list = append(*list, edge{r.Key, r.Type, r.Description, *r.Node})
		}
		out.Truncated = out.Truncated || page.Next != ""
	}
	text := edges("Outgoing", out.Outgoing) + edges("Incoming", out.Incoming)
	if out.Truncated {
		text += "\n_There are more: traverse with mode neighbors goes on, page by page._\n"
	}
	return answer{text: text, object: out}, nil
}

func edges(title string, list []edge) string {
	var t strings.Builder
	fmt.Fprintf(&t, "## %s (%d)\n", title, len(list))
	for _, e := range list {
		fmt.Fprintf(&t, "- %s [%s]: %s %s [%s]", markup.Item(e.Type), markup.Inline(e.Key), e.Node.Kind, markup.Name(e.Node.Name), markup.Inline(e.Node.EntityKey))
		if e.Description != "" {
			t.WriteString(": " + markup.Inline(e.Description))
		}
		t.WriteString("\n")
	}
	return t.String()
}
