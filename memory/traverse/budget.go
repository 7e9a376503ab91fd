package traverse

import (
	"encoding/json"
	"fmt"

	"kith/graph"
	"kith/text/tokens"
)

// fitBudget cuts the last items that do not fit into the budget of the request, and returns the recall of the rest.
func (r *Request) fitBudget(result Result, recall graph.Recall) (Result, graph.Recall, error) {
	if r.MaxTokens == 0 {
		return result, recall, nil
	}
	all := result.size()
	n, fits, err := tokens.Fitting(r.MaxTokens, all, func(n int) string { return r.render(result.first(n)) })
	if err != nil || fits && n == all {
		return result, recall, err
	}
	cut := result.first(n)
	return cut, cut.recalled(recall), nil
}

// render returns a result in the format of the answer.
func (r *Request) render(result Result) string {
	if r.Format == Text {
		return result.Text()
	}
	raw, _ := json.Marshal(result) //nolint:errchkjson // texts and numbers always can
	return string(raw)
}

// cutMessage says how many items were cut, and what to do about it.
func cutMessage(message string, gone int, advice string) string {
	said := fmt.Sprintf("%d more did not fit into max_tokens: %s", gone, advice)
	if message == "" {
		return said
	}
	return said + "; " + message
}

func (r *Rows) size() int  { return len(r.Rows) }
func (p *Paths) size() int { return len(p.Paths) }
func (t *Table) size() int { return len(t.Rows) }

func (r *Rows) first(n int) Result {
	cut := *r
	if gone := len(r.Rows) - n; gone > 0 {
		cut.Rows, cut.Truncated = r.Rows[:n], true
		cut.Message = cutMessage(r.Message, gone, "raise it, or ask for fewer kinds or types")
		if r.Mode == Neighbors {
			cut.Message = cutMessage(r.Message, gone, "go on with the cursor, or raise it")
			cut.NextCursor = page{r.page.Skip + n, r.page.At}.cursor()
		}
		if n == 0 { // a cursor would lead here again
			cut.Message, cut.NextCursor = cutMessage(r.Message, gone, "raise it"), ""
		}
	}
	return &cut
}

func (p *Paths) first(n int) Result {
	cut := *p
	if gone := len(p.Paths) - n; gone > 0 {
		cut.Paths, cut.Truncated = p.Paths[:n], true
		cut.Message = cutMessage(p.Message, gone, "raise it")
	}
	return &cut
}

func (t *Table) first(n int) Result {
	cut := *t
	if gone := len(t.Rows) - n; gone > 0 {
		cut.Rows, cut.Truncated = t.Rows[:n], true
		cut.Message = cutMessage(t.Message, gone, "return single properties such as n.name, use LIMIT, or raise it")
	}
	return &cut
}

// recalled returns the part of a recall that the result still shows.
func (r *Rows) recalled(all graph.Recall) graph.Recall {
	shown := len(r.Rows)
	return graph.Recall{Nodes: all.Nodes[:min(shown, len(all.Nodes))], Relationships: all.Relationships[:min(shown, len(all.Relationships))]}
}

func (p *Paths) recalled(all graph.Recall) graph.Recall {
	nodes, relationships := map[string]bool{}, map[string]bool{}
	for i := range p.Paths {
		for _, n := range p.Paths[i].Nodes {
			nodes[n.EntityKey] = true
		}
		for _, r := range p.Paths[i].Relationships {
			relationships[r.Key] = true
		}
	}
	var kept graph.Recall
	for _, key := range all.Nodes {
		if nodes[key] {
			kept.Nodes = append(kept.Nodes, key)
		}
	}
	for _, ref := range all.Relationships {
		if relationships[ref.Key] {
			kept.Relationships = append(kept.Relationships, ref)
		}
	}
	return kept
}

// recalled returns the nodes of a recall whose entity_key is still in a cell, at any depth.
func (t *Table) recalled(all graph.Recall) graph.Recall {
	shown := map[string]bool{}
	for _, row := range t.Rows {
		for _, raw := range row {
			var value any
			if json.Unmarshal(raw, &value) == nil {
				addEntityKeys(shown, value)
			}
		}
	}
	var kept graph.Recall
	for _, key := range all.Nodes {
		if shown[key] {
			kept.Nodes = append(kept.Nodes, key)
		}
	}
	return kept
}

// addEntityKeys adds the entity_key of every map in a value.
func addEntityKeys(keys map[string]bool, value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			addEntityKeys(keys, item)
		}
	case map[string]any:
		if key, ok := value["entity_key"].(string); ok {
			keys[key] = true
		}
		for _, item := range value {
			addEntityKeys(keys, item)
		}
	}
}
