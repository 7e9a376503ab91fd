package graph_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"golang.org/x/sync/errgroup"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/loader"
)

// searchParams returns the parameters that package explore sends with a search for one word in everything.
func searchParams(scope graph.Scope, word string) map[string]any {
	visible := searchscope.Filter(searchscope.Visible(scope.TeamID, scope.UserID), nil, nil)
	params := map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "count_limit": 1000, "name_limit": 25, "neighbours": true, "archived": false,
		"message_limit": 100, "answer_limit": 100, "source_limit": 100, "node_limit": 50, "relationship_limit": 50, "relationship_names": []string{"description"}, "since": nil, "until": nil, "now": noon,
		"scopes": []map[string]any{}, "vector_limit": 500, "first_limit": 12, "mention_limit": 100, "degree_limit": 100, "matches": []int64{},
		"session_limit": 1000, "timed_messages": 40, "timed_hits": 100, "times": [][]map[string]any{{{
			"types": graph.ContentTypes, "begin": weekAgo, "from": weekAgo, "until": noon, "from_end": true, "first": 0, "last": 100, "counted": false, "filters": true, "open": "",
		}}},
	}
	var counted []map[string]any
	for name, fields := range map[string][]string{
		"message": {"text", "near"}, "source": {"summary", "name", "description", "keywords", "tags"},
		"node": {"name", "canonical_name", "description", "text"}, "relationship": {"description", "relationship_type", "notes"},
	} {
		clause := "(search_scope:nothing"
		for _, field := range fields {
			clause += " " + field + ":(" + word + ")"
		}
		clause += ")^0"
		params[name+"_asks"] = []map[string]any{{
			"head": visible + " +(search_scope:nothing ", "clauses": []string{"((+" + clause + " +*:*)^1)"}, "words": []string{word},
			"names": []string{visible + " +name:(" + word + ")^0"}, "filters": false,
		}}
		if indexes := map[string]string{"message": "message_words", "source": "source_words", "node": "memory_texts"}; indexes[name] != "" {
			counted = append(counted, map[string]any{"index": indexes[name], "filter": visible, "asks": [][]string{{visible + " +" + clause}}})
		}
	}
	params["counted"], params["doubted"], params["doubted_limit"] = counted, []string{"+search_scope:q0"}, 100
	return params
}

// detailParams returns the parameters of the details of found records.
func detailParams(scope graph.Scope, messages, sources, nodes []string) map[string]any {
	seeds := make([]map[string]any, len(sources))
	for i, key := range sources {
		seeds[i] = map[string]any{"ask": 0, "key": key, "weight": 1.0}
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "message_keys": messages, "source_keys": sources, "node_keys": nodes, "around_keys": nodes,
		"archived": false, "least_trust": 0.2, "story_keys": []string{}, "names": []string{}, "seeds": seeds, "degree_limit": 100, "link_limit": 50, "since": nil, "until": nil,
		"now": time.Now().UTC(), "mentioned": 10, "plain": graph.PlainTypes, "types": nil, "without_types": []string{}, "min_attitude": nil, "max_attitude": nil,
		"min_proximity": nil, "max_proximity": nil, "walk": 200, "relationship_limit": 20, "previews": 5, "story_limit": 100,
	}
}

// explain returns the plan of a statement as the store would run it.
func (e *env) explain(q cypher.Query) neo.Operator {
	e.Helper()
	return neo.PlanOf(e.summary("EXPLAIN ", q, e.params(q)).Plan())
}

func (e *env) summary(prefix string, q cypher.Query, params map[string]any) neo4j.ResultSummary {
	e.Helper()
	summary, err := e.summarize(prefix, q, params)
	if err != nil {
		e.Fatal(err)
	}
	return summary
}

// summarize runs a statement and returns the summary of its result.
func (e *env) summarize(prefix string, q cypher.Query, params map[string]any) (neo4j.ResultSummary, error) {
	mode := neo4j.AccessModeRead
	if q.Write {
		mode = neo4j.AccessModeWrite
	}
	session := e.Store.DB().Session(e.Context(), mode, "", neo4j.FetchAll)
	defer func() { _ = session.Close(e.Context()) }()
	text, params, err := q.Statement(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Name, err)
	}
	result, err := session.Run(e.Context(), prefix+text, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Name, err)
	}
	return result.Consume(e.Context())
}

// fromOf returns a number for a page of messages, else the key of a node.
func fromOf(q cypher.Query) any {
	if q.Name == "message_list" {
		return 0
	}
	return "n-1"
}

// params returns values of the right types for a statement's parameters.
func (e *env) params(q cypher.Query) map[string]any {
	e.Helper()
	row := map[string]any{
		"from": "me", "to": "n-1", "type": "thinks_about", "key": "k", "valid_to": nil, "label": "Concept", "entity_key": "n-1",
		"properties": map[string]any{"name": "x", "source_key": "s-1", "text": "x", "near": "x"}, "value": `"v"`,
		"from_key": "n-1", "to_key": "n-2", "relationship_type": "uses", "key_id": "k", "at": noon, "generated": "n-1", "owner": "n-2", "user": "u", "moved": true, "kind": "concept", "merged": false, "embed_due": 1,
	}
	known := map[string]any{
		"team_id": e.Team, "user_id": "u", "week_ago": weekAgo, "now": noon, "started_at": noon, "limit": 10, "from": fromOf(q), "after_user": "",
		"from_user": " ", "after_key": "", "version": 1,
		"entity_key": "n-1", "source_key": "s-1", "as_of": noon, "now_ms": noon.UnixMilli(), "until": noon, "stale_ms": noon.UnixMilli(),
		"label": "Concept", "kind": "concept",
		"after": "", "end": "x", "cutoff": weekAgo, "project_id": "p-1", "past": false, "outgoing": true, "incoming": true, "types": []string{"thinks_about"},
		"key": "k", "hash": "x", "expired": weekAgo, "answer": "{}", "name": "lease", "holder": "h", "team": "t", "due_at": noon, "to": "n-2",
		"messages": false, "import_id": "i", "seq": 1, "report": "{}", "key_id": "k", "focus_key": "n-1", "focus_label": "Concept",
		"entity_keys": []string{"n-1", "n-2"}, "own_keys": []string{"n-1", "n-2"}, "ends": []string{"n-1", "n-2"}, "natural_keys": []string{"x"}, "alias_queries": []string{"search_scope:(a10)"}, "owner_users": []string{"u"},
		"own_users": graph.OwnerRows([]string{"u"}),
		"mentions":  []string{"n-1"}, "themes": []string{"n-1"}, "storylines": []string{"n-2"}, "window": 200, "walk": 5000,
		"rows": []map[string]any{row}, "pairs": []map[string]any{row}, "properties": map[string]any{"hash": "x"},
		"conversation_id": "s-0", "system": "s", "next_seq": 1, "first": "u\x1f", "replaced_at": 1, "kept": 200, "usage": []map[string]any{{"nodes": 1, "relationships": 1, "characters": 1}}, "type": nil, "tag": nil, "from_name": nil, "to_name": nil, "after_name": "",
	}
	maps.Copy(known, map[string]any{"after": "", "bootstrap": false, "words": []string{"mentors"}, "max_relationships": 1,
		"without": nil, "natural_key": "concept\x1fu\x1fn", "author": `"added_by":"u"`, "spaced_author": `"added_by": "u"`,
		"keys": []string{"k"}, "numbers": []int64{1, 2}, "sources": []map[string]any{{"source_key": "s-1", "numbers": []int64{1, 2}, "from": 0, "count": 1}}, "row_limit": 10, "entities": []int64{1}, "relationships": []int64{1}, "names": graph.IntegrityNames,
		"records": graph.RecordsLinked, "id": "4:x:1", "repair": "close", "others": []string{"Task"}, "label": "Concept",
		"field": "deleted_at", "before": noon, "scope_token": "k0", "scopes": map[string]any{"": "k0"}, "kinds": []string{"statement"},
		"plain": graph.PlainTypes, "last": "x", "context": map[string]any{}, "database": "neo4j"})
	scope := graph.Scope{TeamID: e.Team, UserID: "u"}
	maps.Copy(known, searchParams(scope, "x"))
	maps.Copy(known, detailParams(scope, []string{"n-1"}, []string{"n-1"}, []string{"n-1"}))
	known["story_keys"] = []string{"n-1"}
	maps.Copy(known, map[string]any{"model": "m", "dimensions": 3, "until_ms": 1, "base": 0, "from_team": "", "from_key": "", "walked": true,
		"vector_scope": "k0", "embed_due": 1, "texts": true, "links": 10})
	maps.Copy(known, map[string]any{"query": "+search_scope:s0", "origin": "external", "decision": "refused", "min_trust": 0.2, "state": "waiting", "part": 1,
		"nodes": []string{"n-1"}, "lowered": []string{"{}"},
		"tellers": []any{[]any{"external", "x"}}})
	maps.Copy(known, map[string]any{
		"walk": 100, "labels": nil, "prefixes": []string{"concept"}, "most": 100, "each": 100,
		"steps": []map[string]any{{"number": 0, "from": "me", "to": "n-1", "key": nil, "out": nil}},
	})
	maps.Copy(known, map[string]any{
		"users": []string{"", "u"}, "tasks": []string{"task" + graph.KeySeparator}, "fields": []string{"name", "state_key"}, "task_fields": []string{"name", "due_at"},
		"project_fields": []string{"name", "start_at"}, "recent_at": 0,
		"lists": []map[string]any{{"after": "goal" + graph.KeySeparator, "end": "goal ", "kind": "goal", "list": "goal" + graph.KeySeparator, "limit": 10,
			"fields": []string{"name", "state_key"}, "texts": []string{"description"}}},
		"derived": []string{"n-1"}, "focus": "n-1", "picture": []string{"n-1"}, "open": []string{"Task"},
		"skip": 0, "whole": true, "counted": "p-1" + graph.KeySeparator, "list": "project" + graph.KeySeparator, "separator": graph.KeySeparator,
	})
	maps.Copy(known, map[string]any{
		"owners": []string{"", "u"}, "tree_id": "t-1", "last_tree": "t-9", "turn_id": "c-1", "parent_id": "c-0", "pinned": []bool{true, false}, "ids": []string{"c-1"},
		"before_id": "", "statuses": []string{"pending"}, "attempt": nil, "next": 0, "turn_count": 1, "after_seq": 0, "tree_ids": []string{"t-1"},
		"turn_ids": []string{"c-1"},
		"trees":    []map[string]any{{"id": "t-1", "properties": map[string]any{"name": "x"}}},
		"turns":    []map[string]any{{"id": "c-1", "properties": map[string]any{"parent_id": "c-0"}}},
	})
	maps.Copy(known, map[string]any{"state": "active", "archive_below": 0.01, "other_key": "n-2", "groups": [][]string{{"x"}}, "mention_keys": []string{"n-1"}})
	known["since_ms"], known["changed"] = 1, []map[string]any{{"key": "n-1", "is_relationship": false}}
	known["before_key"], known["value"] = "x", `"v"`
	known["present_ms"], known["rest"], known["again"], known["hub"], known["few"] = 1, true, true, 1000, 100
	maps.Copy(known, map[string]any{"at": 1, "written": "k api", "thin_at": 1, "is_relationship": false, "before_version": 1, "of": "x", "version": 1, "listed": "system" + graph.KeySeparator + "s"})
	maps.Copy(known, map[string]any{"nodes": 1, "characters": 1, "fresh_until": 1, "max_nodes": 1, "max_characters": nil})
	if strings.HasPrefix(q.Name, "chat_") {
		known["before"], known["now"], known["until"], known["from"] = 1, 1, 1, 0
	}
	maps.Copy(known, map[string]any{"topics": []string{"standing tea"}, "all": true, "states": []string{"active"}, "closed": false, "paused": true})
	maps.Copy(known, map[string]any{"teams": []string{e.Team}, "from_seq": 1, "to_seq": 9, "webhook_id": "w", "places": 10, "anew": true,
		"secret": "x", "due": true, "batch_id": "b"})
	known["subjects"] = []map[string]any{{"user": "u", "topic": "standing tea"}}
	known["others"], known["undo"], known["stay"], known["moved"], known["into"] = []string{"n-3"}, "{}", []string{"about"}, []string{"r-1"}, "n-2"
	known["further"], known["aliases"] = map[string]any{"n-1": "n0"}, []map[string]any{{"name": "x", "query": "search_scope:(a10)"}}
	known["query"] = "search_scope:(a10)"
	known["prefix"], known["size"] = "concept"+graph.KeySeparator, graph.PageSize
	known["borders"], known["bare"] = []int64{2}, []string{"key"}
	if strings.HasPrefix(q.Name, "border_") {
		known["after"] = 1
		known["places"] = []string{"2" + graph.KeySeparator + "n-1"}
	}
	if q.Name == "statement_list" {
		known["kinds"] = []string{"fact"}
	}
	maps.Copy(known, map[string]any{"view": "v", "at": 2, "instance": nil, "most": 100})
	if strings.HasPrefix(q.Name, "replay_") || strings.HasPrefix(q.Name, "served_") {
		maps.Copy(known, map[string]any{"since": 1, "until": 1, "after": 1, "most": 1, "cutoff": 1, "rows": []map[string]any{{
			"user_id": "u", "view": "v", "at": 1, "until": 1, "sum": "s", "encoded": []byte{1}, "size": 1, "day": 1, "kind": "context", "digest": "d",
		}}})
	}
	for _, name := range []string{"purge_served", "purge_bodies", "purge_events"} {
		if q.Name == name {
			known["cutoff"] = 1
		}
	}
	if strings.HasPrefix(q.Name, "linked_") {
		known["until"], known["labels"] = 3, []string{"Plan"}
	}
	if q.Name == "user_counts" || q.Name == "replay_users" {
		known["users"] = []map[string]any{{"id": "u", "lists": known["lists"]}}
	}
	if q.Name == "workspace_project" {
		known["from"], known["to"] = noon, noon
	}
	if strings.HasPrefix(q.Name, "duplicate_") {
		pair := "n-1" + graph.KeySeparator + "n-2"
		maps.Copy(known, map[string]any{
			"first": nil, "next_item": 0, "neighbours": 10, "gone": []string{"n-1"}, "before": 1.0, "min_probability": 0.5, "above": noon, "pair": pair, "compared": 0.5, "judge_from": nil, "verdict": "same", "probability": 0.9, "reasons": []string{"same_name"}, "weights": []float64{1}, "users": []string{"", "u"},
			"pairs": []map[string]any{{"position": 0, "first_key": "n-1", "second_key": "n-2", "pair": pair}},
			"names": 20, "length": 256, "refusals": 1000, "tries": 0,
			"rows": []map[string]any{{
				"pair": pair, "first_key": "n-1", "second_key": "n-2", "kind": "concept", "of_user": "u", "user_id": "u", "entity_key": "n-1", "blocks": "x",
				"probability": 0.9, "unsure": true, "reasons": []string{"same_name"}, "weights": []float64{1}, "refused_at": noon,
			}},
		})
	}
	if q.Name == "duplicate_admit" {
		known["pairs"] = []string{"n-1" + graph.KeySeparator + "n-2"}
	}
	known["user_field"] = `"user_id":"u"`
	if q.Name == "trust_rule_restore" {
		known["rows"] = []map[string]any{{"user_id": "u", "origin": "external", "author": "x", "decision": "refused", "created_at": noon}}
	}
	if q.Name == "export_trust_rules" {
		known["after"] = []string{"u", "external", "x"}
	}
	params := map[string]any{}
	for _, name := range q.Params {
		value, ok := known[name]
		if !ok {
			e.Fatalf("%s: the test knows no value for $%s", q.Name, name)
		}
		params[name] = value
	}
	return params
}

// statements returns all statements, those that contexts are composed of, and those made for several types.
func (e *env) statements() []cypher.Query {
	types, err := e.Store.IndexedTypes(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	all := []cypher.Query{cypher.OfTypes(cypher.Load("relationship_locate"), types)}
	for _, name := range cypher.Names() {
		if q := cypher.Load(name); !strings.HasPrefix(q.Text, "SHOW ") { // of the server, which reads no graph
			all = append(all, q)
		}
	}
	withoutPreferences := slices.DeleteFunc(slices.Clone(loader.AllSections), func(s loader.Section) bool { return s == loader.PreferencesSection })
	for _, sections := range [][]loader.Section{withoutPreferences, loader.AllSections, append(slices.Clone(loader.AllSections), loader.FocusSection)} {
		files := make([]string, len(sections))
		for i, section := range sections {
			files[i] = "context_" + string(section)
		}
		all = append(all, cypher.LoadCombined(fmt.Sprintf("context of %d sections", len(sections)), append(files, "context_border")...))
	}
	return all
}

// keptStatements returns the statements whose first plan Neo4j keeps while the data grow.
func (e *env) keptStatements() []cypher.Query {
	return slices.DeleteFunc(e.statements(), func(q cypher.Query) bool { return !q.KeepPlan })
}

// scans are operators whose cost grows with the database, not with the request.
var scans = regexp.MustCompile(`AllNodesScan|ByLabelScan|ByLabelsScan|IndexScan|CartesianProduct|RelationshipsScan|` +
	`TypeScan|TypesScan|IndexContains|IndexEndsWith`)

// allowed are the intended scans.
var allowed = map[string]string{
	// An administrator lists the keys of all teams, newest first.
	"api_key_list": "NodeByLabelScan",
	// A search for new keys does so too, at most every two seconds.
	"api_key_ids": "NodeIndexScan",
	// A migration reads every owner, once.
	"rank_renew": "NodeByLabelScan",
	// An integrity check searches for nodes that no index holds.
	"integrity_unkeyed": "NodeByLabelScan", "integrity_keyed": "NodeIndexScan",
	// The sections are joined: each is one row. The same holds for the two parts of a page.
	"preference_page": "CartesianProduct", "export_statements": "CartesianProduct", "statement_find": "CartesianProduct", "statement_known": "CartesianProduct", "conversation_list": "CartesianProduct", "user_next": "CartesianProduct",
	"found_sources": "CartesianProduct", "search": "CartesianProduct", "border_add": "CartesianProduct",
	"chat_text_read": "CartesianProduct", "chat_find": "CartesianProduct", "chat_restore": "CartesianProduct",
	// The two ends of a step, each found by its key.
	"walk_steps": "CartesianProduct",
	// The two nodes of a pair, each found by its key.
	"duplicate_list": "CartesianProduct", "duplicate_refused": "CartesianProduct", "duplicate_unjudged": "CartesianProduct", "duplicate_pairs": "CartesianProduct",
	// Its parts are joined: each is one row.
	"team_usage": "CartesianProduct", "review_known": "CartesianProduct",
	// A compaction reads everything, by ids where there is much, and finds the two ends of a relationship by their
	// ids.
	"copy_nodes": "AllNodesScan", "copy_relationships": "DirectedAllRelationshipsScan",
	"copy_count_nodes": "AllNodesScan", "copy_count_relationships": "DirectedAllRelationshipsScan", "copy_relationship_create": "CartesianProduct",
	// The blocks are joined: each is one row.
	"withdrawal_count": "CartesianProduct", "withdrawal_facts": "CartesianProduct",
	"workspace_project": "CartesianProduct", "workspace_links": "CartesianProduct", "workspace_global": "CartesianProduct",
	"integrity_workspace":   "CartesianProduct",
	"context of 7 sections": "CartesianProduct", "context of 8 sections": "CartesianProduct", "context of 9 sections": "CartesianProduct",
}

// wholeTeam matches a seek that reads all of a team, instead of what it has under a key. Neo4j prefers that at times while a store is
// nearly empty, for a key that comes from another node.
var wholeTeam = regexp.MustCompile(`\(team_id, (\w+)[^)]*\).* WHERE team_id = \S+ AND (\w+) IS NOT NULL`)

// readingTeams are the statements that read all of a team under some label.
var readingTeams = []string{
	"integrity_feed", "integrity_feed_count", "node_list_past", "preference_erase_team", "team_usage", "user_next", "webhook_create",
}

// ordered has the statements that read in the order of an index, with the number of their walks.
var ordered = map[string]int{
	"context_core_beliefs": 3, "context_primary_goals": 5, "context_relationships": 8, "context_sources": 2,
	"context_last_conversation": 1, "context_preferences": 1, "preference_page": 2, "message_list": 1, "message_last": 1,
	"context_statements": 2, "statement_list": 1, "served_list": 1, "export_statements": 2, "export_reviews": 1, "context of 7 sections": 21, "context of 8 sections": 22, "context of 9 sections": 22,
	"hub_relationships": 2, "hub_strongest": 2, "embedding_due": 1, "embedding_team": 1, "embedding_backlog": 1, "embedding_vectors": 1, "embedding_walk": 1,
	"workspace_project": 6, "workspace_keys": 1, "workspace_merged_keys": 1, "workspace_global": 1,
	"chat_tree_list": 1, "chat_turn_list": 1, "conversation_list": 2, "user_next": 3,
	"commit_list": 1, "webhook_dead_list": 1, "system_list": 1, "system_load": 2, "system_entity_list": 1, "system_relationship_list": 1,
}

// checkPlans checks the plans of statements, and returns what those read that Neo4j keeps. Plans take the time of one core, so
// two are made at a time.
func (e *env) checkPlans(statements ...cypher.Query) (kept map[string]string) {
	e.Helper()
	e.Raw("CALL db.prepareForReplanning()")
	kept = map[string]string{}
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(2)
	for _, q := range statements {
		params := e.params(q)
		all.Go(func() error {
			summary, err := e.summarize("EXPLAIN ", q, params)
			if err != nil {
				return err
			}
			plan := neo.PlanOf(summary.Plan())
			e.checkPlan(q, plan)
			if q.KeepPlan {
				mu.Lock()
				defer mu.Unlock()
				kept[q.Name] = shape(plan)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		e.Fatal(err)
	}
	return kept
}

// shape returns what a plan reads: which index each seek, and which relationships each expansion, sorted and once each. Neo4j may split
// a seek with OR into several.
func shape(plan neo.Operator) string {
	var lines []string
	plan.Each(func(o neo.Operator) {
		if strings.Contains(o.Name, "Seek") || strings.Contains(o.Name, "Expand") || strings.Contains(o.Name, "Scan") {
			lines = append(lines, o.Name+" "+generated.ReplaceAllString(o.Details, ""))
		}
	})
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// generated matches the numbers in names that Neo4j generates.
var generated = regexp.MustCompile(`@\d+|(anon|autoint|autostring)_\d+|, cache\[[^\]]*\]`)

// checkPlan checks that a statement scans nothing, and reads in the order of its indexes.
func (e *env) checkPlan(q cypher.Query, plan neo.Operator) {
	e.Helper()
	plan.Each(func(o neo.Operator) {
		if scans.MatchString(o.Name) && allowed[q.Name] != o.Name && !joinsSingles(o) {
			e.Errorf("%s has %s:\n%s", q.Name, o.Name, plan)
		}
		if m := wholeTeam.FindStringSubmatch(o.Details); m != nil && m[1] == m[2] && !slices.Contains(readingTeams, q.Name) {
			e.Errorf("%s reads all of a team, %s:\n%s", q.Name, o.Details, plan)
		}
	})
	walks := 0
	plan.Each(func(o neo.Operator) {
		if strings.HasPrefix(o.Name, "Limit") && len(o.Children) == 1 && walksIndex(o.Children[0]) {
			walks++
		}
	})
	if want := ordered[q.Name]; walks < want {
		e.Errorf("%s has %d walks in the order of an index, not %d:\n%s", q.Name, walks, want, plan)
	}
}

// walksIndex reports whether rows come from an index one by one as needed: no operator above it reads all of them
// before it returns the first.
func walksIndex(o neo.Operator) bool {
	for len(o.Children) == 1 && slices.Contains([]string{"Filter", "Projection", "CacheProperties"}, o.Name) || o.Name == "SemiApply" {
		o = o.Children[0] // SemiApply looks something up for each row of its first child
	}
	return strings.Contains(o.Name, "IndexSeek")
}

// joinsSingles reports whether an operator is a product with single nodes only, or one of a single row, which is the one that it is
// applied to. Newer versions of Neo4j plan subqueries without variables as such products.
func joinsSingles(o neo.Operator) bool {
	return o.Name == "CartesianProduct" && (o.Children[0].Name == "Argument" || !slices.ContainsFunc(o.Children, func(c neo.Operator) bool {
		return !strings.HasPrefix(c.Name, "NodeUniqueIndexSeek")
	}))
}

// huge gives a user of the team degree relationships, and as many beliefs, goals and conversations.
func (e *env) huge(user string, degree int) {
	e.Helper()
	e.Write(user, []graph.NodeWrite{owner1("me")})
	const batch = 2500
	for start := 0; start < degree; start += batch {
		var nodes []graph.NodeWrite
		var links []graph.RelationshipWrite
		for i := start; i < min(start+batch, degree); i++ {
			key := fmt.Sprintf("n-%d", i)
			n := node("concept", key, float64(i%97)/100, inState([]string{"core", "active"}[i%2]), accessed(noon), described("goal"))
			n.TTLPolicy = graph.Some([]string{"keep_forever", "decay"}[i/2%2])
			nodes = append(nodes, n)
			links = append(links, link("me", contextTypes[i%7], key, float64(i%89)/100))
		}
		e.Write(user, nodes, links...)
	}
	for i := range min(degree/10, 60) {
		w := graph.SourceWrite{EntityKey: fmt.Sprintf("s-%d", i), Summary: graph.Some("x")}
		for m := range 5 {
			w.Mentions = append(w.Mentions, fmt.Sprintf("n-%d", (i*7+m)%degree))
		}
		e.Source(user, w)
	}
}

// walkHits returns the database hits of the walks for the relationships of a user.
func (e *env) walkHits(user string) (hits int64) {
	e.Helper()
	q := cypher.Load("context_relationships")
	params := e.params(q)
	params["user_id"] = user
	plan := neo.PlanOf(e.summary("PROFILE ", q, params).Profile())
	walks := 0
	plan.Each(func(o neo.Operator) {
		if strings.Contains(o.Name, "RelationshipIndexSeek") && strings.Contains(o.Details, "owner_key") {
			hits, walks = hits+o.Hits, walks+1
		}
	})
	if walks != 2*len(contextTypes) { // the first of each type, and those above their limit
		e.Fatalf("%d walks:\n%s", walks, plan)
	}
	return hits
}
