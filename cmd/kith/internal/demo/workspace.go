package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"kith/graph"
)

// project holds the nodes of a project by kind. It has one node of the kind project, to which the others belong.
type project map[string][]item

// item is a node of a project with the field names of the API. Its keys are short, and relativeClock parses its times.
type item map[string]any

// linkList holds a key, a relationship type, and the keys that relationships of this type lead to.
type linkList []string

// The fields of a item that hold keys, and the fields that hold times.
var (
	keyFields  = []string{"entity_key", "derived_from_signal_id"}
	timeFields = []string{
		"created_at", "updated_at", "start_at", "end_at", "due_at", "completed_at", "target_date", "mitigated_at", "decision_at", "ts",
	}
)

// workspaceWrite returns the request that writes all projects.
func (l *dataset) workspaceWrite(now time.Time) (*graph.MemoryWrite, error) {
	clock, err := newClock(now)
	if err != nil {
		return nil, err
	}
	workspaces := &graph.MemoryWrite{UserID: User, Strict: true}
	for _, project := range l.Projects {
		nodes, err := project.nodeWrites(clock)
		if err != nil {
			return nil, err
		}
		workspaces.Nodes = append(workspaces.Nodes, nodes...)
	}
	since := map[string]time.Time{}
	for i := range workspaces.Nodes {
		since[workspaces.Nodes[i].EntityKey] = workspaces.Nodes[i].CreatedAt.Value
	}
	for _, links := range l.Links {
		workspaces.Relationships = append(workspaces.Relationships, links.relationshipWrites(since)...)
	}
	return workspaces, nil
}

// nodeWrites returns the nodes of the project, sorted by kind.
func (p project) nodeWrites(clock relativeClock) ([]graph.NodeWrite, error) {
	var nodes []graph.NodeWrite
	project, _ := p["project"][0]["entity_key"].(string)
	for _, kind := range slices.Sorted(maps.Keys(p)) {
		for _, item := range p[kind] {
			write, err := item.nodeWrite(clock)
			if err != nil {
				return nil, fmt.Errorf("%s %v: %w", kind, item["entity_key"], err)
			}
			write.Kind = kind
			if kind != "project" {
				write.ProjectID = graph.Some(fullKey(project))
			}
			nodes = append(nodes, write)
		}
	}
	return nodes, nil
}

// nodeWrite returns the item with full keys and times. updated_at defaults to created_at.
func (i item) nodeWrite(clock relativeClock) (graph.NodeWrite, error) {
	stored := map[string]any{}
	for field, value := range i {
		stored[field] = value
		switch text, _ := value.(string); {
		case slices.Contains(keyFields, field):
			stored[field] = fullKey(text)
		case slices.Contains(timeFields, field):
			at, err := clock.parse(text)
			if err != nil {
				return graph.NodeWrite{}, err
			}
			stored[field] = at
		}
	}
	raw, err := json.Marshal(stored)
	if err != nil {
		return graph.NodeWrite{}, err
	}
	w := graph.NodeWrite{State: graph.Some("active"), Confidence: graph.Some(confidence["active"]), OwnFields: &graph.OwnFields{}}
	err = decodeKnown(raw, &w)
	if !w.UpdatedAt.Given {
		w.UpdatedAt = w.CreatedAt
	}
	return w, err
}

// relationshipWrites returns the relationships. Each is valid from the time at which both ends exist.
func (l linkList) relationshipWrites(since map[string]time.Time) []graph.RelationshipWrite {
	from := fullKey(l[0])
	var links []graph.RelationshipWrite
	for _, key := range l[2:] {
		to := fullKey(key)
		start := since[from]
		if start.Before(since[to]) {
			start = since[to]
		}
		links = append(links, graph.RelationshipWrite{From: from, To: to, Type: l[1], State: graph.Some("active"), ValidFrom: graph.Some(start)})
	}
	return links
}
