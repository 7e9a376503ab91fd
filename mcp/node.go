package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kith/access/auth"
	"kith/graph"
	"kith/graph/trust"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
	"kith/text/tokens"
)

// How long the answers of get_node and list_nodes are unless the caller says.
const (
	nodeTokens = 1500
	listTokens = 1500
)

type oneNodeInput struct {
	Caller
	EntityKey string `json:"entity_key" minLength:"1" maxLength:"512" doc:"or name"`
	MaxTokens int    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 1,500"`
}

func (s *Server) addNode() {
	add(s, tool{"get_node", "One node in full", reads, guide("get_node")}, contract.Input[oneNodeInput](), s.node)
}

func (s *Server) node(ctx context.Context, in *oneNodeInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	where := []place{{location: fault.At("entity_key"), value: &in.EntityKey}}
	found, err := byName(ctx, s, scope, where, func() (graph.NodeView, error) {
		stored, err := s.Store.NodesByKey(ctx, scope, []string{in.EntityKey})
		if err != nil || len(stored) == 0 {
			return graph.NodeView{}, cmp.Or(err, fault.ErrNotFound)
		}
		kind, _ := graph.KindOf(stored[0].Kind)
		return s.Store.Node(ctx, scope, kind, in.EntityKey, graph.NodeQuery{Relationships: relationshipsEach})
	})
	if err != nil {
		return answer{}, err
	}
	text, err := nodeText(&found, cmp.Or(in.MaxTokens, nodeTokens))
	return answer{text: text}, err
}

// nodeText is a node in full within a budget: its relationships and notes are cut first, then long values.
func nodeText(n *graph.NodeView, budget int) (string, error) {
	var lines []string
	told := n.Told()
	for _, note := range n.Notes {
		lines = append(lines, "note "+note.DateAdded.Format("2006-01-02")+": "+told.Least(note.Told).Line(markup.Inline(note.Content)))
	}
	for i := range n.Relationships {
		lines = append(lines, relationshipLine(&n.Relationships[i]))
	}
	fields, err := fieldsOf(n)
	if err != nil {
		return "", err
	}
	for longest := 1 << 16; ; longest /= 2 {
		head := fmt.Sprintf("# %s (%s) [%s]\n", told.Line(markup.Inline(markup.Truncate(n.Name, longest))), n.Kind, markup.Inline(n.EntityKey))
		for _, f := range fields {
			value := markup.Truncate(f.value, longest)
			switch {
			case f.name == "doubted_aliases":
				value = told.Least(trust.Doubted).Line(value)
			case f.isText:
				value = told.Line(value)
			}
			head += "- " + f.name + ": " + value + "\n"
		}
		render := func(count int) string {
			text := head
			for _, line := range lines[:count] {
				text += "- " + line + "\n"
			}
			if gone := len(lines) - count; gone > 0 {
				text += fmt.Sprintf("\n_Left out to keep the token budget: %d notes and relationships._\n", gone)
			}
			return text
		}
		count, fits, err := tokens.Fitting(budget, len(lines), render)
		if err != nil || fits || longest <= 8 {
			return render(count), err
		}
	}
}

func relationshipLine(r *graph.RelationshipView) string {
	arrow, other := "→", graph.NodeRef{}
	if r.Direction == "incoming" {
		arrow = "←"
	}
	if r.Node != nil {
		other = *r.Node
	}
	line := fmt.Sprintf("%s %s %s %s [%s]", arrow, markup.Inline(r.Type), other.Kind, markup.Name(other.Name), markup.Inline(other.EntityKey))
	if r.Description != "" {
		line += ": " + markup.Inline(r.Description)
	}
	return r.Told().Least(other.Told).Line(line)
}

// nodeField is a field of a node. isText: in a writer's own words.
type nodeField struct {
	name, value string
	isText      bool
}

// fieldsOf are the fields of a node that have a value, in the order of the API, the description first.
func fieldsOf(n *graph.NodeView) ([]nodeField, error) {
	plain := *n
	plain.Notes, plain.Relationships = nil, nil
	if own := n.OwnFields; own != nil && own.DoubtedAliases.Given { // each alias once
		known := *own
		known.Aliases.Value = slices.DeleteFunc(slices.Clone(own.Aliases.Value), func(alias string) bool { return slices.Contains(own.DoubtedAliases.Value, alias) })
		known.Aliases.Given = len(known.Aliases.Value) > 0
		plain.OwnFields = &known
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	_, _ = decoder.Token() // the object's own
	var fields []nodeField
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return nil, fmt.Errorf("node: %w", err)
		}
		if f := fieldOf(n.Kind, fmt.Sprint(name), value); f.value != "" {
			fields = append(fields, f)
		}
	}
	slices.SortStableFunc(fields, func(a, b nodeField) int {
		return cmp.Compare(map[bool]int{true: -1}[a.name == "description"], map[bool]int{true: -1}[b.name == "description"])
	})
	return fields, nil
}

// unshown are the fields that the heading has, or that say nothing to a model.
var unshown = []string{"kind", "entity_key", "name", "title", "canonical_name", "confidence", "access_count"}

// ofKith are fields with a word of a closed list, a time, keys, or what Kith itself found.
var ofKith = []string{
	"user_id", "state", "ttl_policy", "origin", "context_type", "source_type", "sensitivity", "processing_status", "focus_kind", "impact", "created_at", "updated_at", "last_accessed_at", "archives_at", "source_key", "project_id", "content_type",
	"started_at", "ended_at", "at", "ts", "start_at", "end_at", "due_at", "completed_at", "target_date", "mitigated_at", "decision_at", "processed_at", "withdrawn_at",
	"first_mentioned_at", "last_mentioned_at", "first_source_at", "last_source_at", "deleted_at", "restorable_until", "rests_on", "participants", "last_write",
}

func fieldOf(kind, name string, value json.RawMessage) nodeField {
	var text string
	switch {
	case slices.Contains(unshown, name) || string(value) == "null":
		return nodeField{}
	case json.Unmarshal(value, &text) == nil:
		return nodeField{name, markup.Inline(text), !slices.Contains(ofKith, name) && (name != "state_key" || !graph.IsStateKey(kind, text))}
	}
	isText := strings.ContainsRune(`[{`, rune(value[0])) && !slices.Contains(ofKith, name)
	return nodeField{name, markup.JSON(string(value)), isText}
}
