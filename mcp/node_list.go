package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
	"kith/text/tokens"
)

// describedShown is how many characters of a description stand in a line of a list.
const describedShown = 120

type nodesInput struct {
	Caller
	Kind      string `json:"kind" enum:"person,concept,entity,source,project,task,plan,goal,milestone,document,output,risk,decision,requirement,signal,insight,storyline,macro"`
	ProjectID string `json:"project_id,omitempty" minLength:"1" maxLength:"256" doc:"only those of this project: entity key or name"`
	Limit     int64  `json:"limit,omitempty" minimum:"1" maximum:"1000" doc:"default 50"`
	Cursor    string `json:"cursor,omitempty" maxLength:"4096" doc:"of the previous page"`
	MaxTokens int    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 1,500"`
}

func (s *Server) addNodes() {
	add(s, tool{"list_nodes", "The nodes of a kind", reads, guide("list_nodes")}, contract.Input[nodesInput](), s.nodes)
}

func (s *Server) nodes(ctx context.Context, in *nodesInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if in.ProjectID != "" {
		if err := s.resolve(ctx, scope, []place{{fault.At("project_id"), &in.ProjectID, "project"}}, true); err != nil {
			return answer{}, err
		}
	}
	kind, _ := graph.KindOf(in.Kind)
	list := graph.NodeList{Kind: kind, ProjectID: in.ProjectID, Cursor: in.Cursor, Limit: cmp.Or(in.Limit, 50)}
	page, err := s.Store.Nodes(ctx, scope, list)
	if err != nil {
		return answer{}, err
	}
	render := func(n int) string { return nodesText(in.Kind, page.Nodes[:n], page.Next, len(page.Nodes)-n) }
	n, _, err := tokens.Fitting(cmp.Or(in.MaxTokens, listTokens), len(page.Nodes), render)
	if err != nil || n == len(page.Nodes) {
		return answer{text: render(n)}, err
	}
	list.Limit = int64(max(n, 1)) // its cursor goes on behind what is shown
	if page, err = s.Store.Nodes(ctx, scope, list); err != nil {
		return answer{}, err
	}
	return answer{text: nodesText(in.Kind, page.Nodes, page.Next, 0)}, nil
}

// nodesText is a page of a list, a line each.
func nodesText(kind string, nodes []graph.NodeView, next string, gone int) string {
	var t strings.Builder
	for i := range nodes {
		n := &nodes[i]
		line := fmt.Sprintf("%s [%s]", markup.Name(markup.Truncate(n.Name, describedShown)), markup.Inline(n.EntityKey))
		if n.OwnFields != nil && n.StateKey.Value != "" {
			line += " (" + markup.Inline(n.StateKey.Value) + ")"
		} else if n.State != "" {
			line += " (" + n.State + ")"
		}
		if about := cmp.Or(n.Description, summaryOf(n)); about != "" {
			line += ": " + markup.Inline(markup.Truncate(about, describedShown))
		}
		t.WriteString("- " + n.Told().Line(line) + "\n")
	}
	switch {
	case len(nodes)+gone == 0:
		fmt.Fprintf(&t, "There is no %s that you may see.\n", kind)
	case next != "" || gone > 0:
		fmt.Fprintf(&t, "\n_There are more: ask again with cursor %s_\n", next)
	}
	return t.String()
}

func summaryOf(n *graph.NodeView) string {
	if n.OwnFields == nil {
		return ""
	}
	return n.Summary.Value
}
