package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/statement"
	"kith/memory/system"
	"kith/tests/hostile"
)

// answersWith are texts that tools make themselves, with a text in every place.
func answersWith(t []string) map[string]string {
	list := []edge{{Key: "r-1", Type: "knows", Description: "since school", Node: graph.NodeRef{EntityKey: "p-1", Kind: "person", Name: "Ada"}}}
	raw, _ := json.Marshal(t[0])
	gone := []forgottenItem{
		{Key: "a-1", Status: "not_found"}, {Key: "b-1", Status: "deleted", RestorableUntil: new(time.Time)}, {Key: "c-1", Status: "refused", Error: "in use"},
		{Key: "d-1", Status: "merged", RestorableUntil: new(time.Time), Merge: &graph.Merge{Conflicts: []graph.MergeConflict{{Field: "name", Dropped: raw}}}},
	}
	blank := "must not be blank"
	result := graph.MemoryResult{
		Nodes:         []graph.NodeResult{{EntityKey: "a-1", Status: graph.Created}, {Status: graph.Refused, Error: &blank}},
		Relationships: []graph.RelationshipResult{{Key: "r-1", Type: "knows", Status: graph.Updated}},
	}
	invalid := fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("nodes").Index(0).Field("x"), Message: "unexpected property"}}}
	full := graph.NodeView{
		Kind: "person", Node: graph.Node{EntityKey: "p-1", Name: "Ada", Description: "mills", State: "active", Properties: []byte(`{"a":"b"}`)},
		OwnFields: &graph.OwnFields{StateKey: graph.Some("todo")}, Notes: []graph.Note{{Content: "sings"}},
		Relationships: []graph.RelationshipView{{Type: "knows", Description: "since school", Node: &graph.NodeRef{EntityKey: "p-2", Kind: "person", Name: "Bo"}}},
	}
	merged := system.Result{Entities: []system.EntityResult{{Name: "api", Status: system.Added}}, Warnings: []string{"entities[0]: no type"}}
	hostile.Fill(&full, t, "Kind")
	hostile.Fill(&merged, t)
	node, _ := nodeText(&full, 100_000)
	hostile.Fill(&list, t, "Kind")
	hostile.Fill(&gone, t, "Status", "Field")
	hostile.Fill(&result, t)
	hostile.Fill(&invalid, t)
	said := statement.Page{Statements: []statement.Statement{{Kind: "preference", State: "confirmed", Text: "I like tea", Key: "m#0"}}}
	hostile.Fill(&said, t, "Kind", "State")
	user := "ada"
	waiting := graph.ReviewPage{Reviews: []graph.Review{{Key: "r-1", UserID: &user, Author: "eve", DerivedFrom: []string{"m-1"}, Origin: "external"}}}
	hostile.Fill(&waiting, t, "Origin", "Write")
	waiting.Reviews[0].Write, _ = json.Marshal(graph.MemoryWrite{
		Nodes:         []graph.NodeWrite{{Kind: "person", Name: graph.Some(t[0]), Description: graph.Some(t[1])}},
		Relationships: []graph.RelationshipWrite{{From: t[2], To: t[3], Type: t[4], Description: graph.Some(t[5])}},
	})
	known, _ := plainAnswer(memoryEntities{[]memoryEntity{{Name: t[0] + "x", Observations: []string{t[1]}}}}, nil)
	in := rememberInput{Nodes: []nodeInput{{Kind: "person"}, {Kind: "person"}}}
	return map[string]string{
		"relationships": edges("Outgoing", list), "forgotten": forgottenAnswer(gone, nil, "").text, "remembered": in.resultAnswer(&result).text,
		"faults": located(&invalid), "known": known.text,
		"node": node, "nodes": nodesText("person", []graph.NodeView{full}, "", 0), "merged": mergedSystem(&merged).text,
		"statements": statementsText(said), "reviews": reviewsText(waiting),
	}
}

// Whatever is stored or sent, lines of what tools answer begin as they do with harmless texts, and nothing is there that is not seen.
func TestNothingStoredBeginsALine(t *testing.T) {
	t.Parallel()
	harmless := answersWith(slices.Repeat(hostile.Harmless, 10))
	rapid.Check(t, func(t *rapid.T) {
		for name, got := range answersWith(hostile.Texts().Draw(t, "texts")) {
			fault := hostile.Differs(harmless[name], got)
			if name == "known" { // JSON, in which no line begins with a text
				fault = ""
				if r := hostile.Unseen(got); r != 0 || !slices.Equal(hostile.Skeleton(harmless[name]), hostile.Skeleton(got)) {
					fault = "it begins its lines otherwise"
				}
			}
			if fault != "" {
				t.Errorf("%s: %s\n%s", name, fault, got)
			}
		}
	})
}

// What is hardly believed stands in quotation marks.
func TestWhatIsHardlyBelievedIsQuoted(t *testing.T) {
	t.Parallel()
	list := []edge{{Key: "r-1", Type: "knows", Description: "since school", Node: graph.NodeRef{EntityKey: "p-1", Kind: "person", Name: "Ada"}}}
	full := graph.NodeView{
		Kind: "person", Node: graph.Node{EntityKey: "p-1", Name: "Ada", Description: "mills", Type: "mill", Properties: []byte(`{"a":"b"}`)}, Notes: []graph.Note{{Content: "sings"}},
		OwnFields: &graph.OwnFields{
			StateKey: graph.Some("todo"), TypeKey: graph.Some("task.check"), FacetStage: graph.Some("review"), SourceDocumentID: graph.Some("doc-1"), Role: graph.Some("user"),
			Aliases: graph.Some([]string{"Countess"}), Tags: graph.Some([]string{"sea"}), Keywords: graph.Some([]string{"sea"}), Channel: graph.Some("c"), Author: graph.Some("eve"),
			Payload: graph.Some(json.RawMessage(`{"a":"b"}`)), Props: graph.Some(json.RawMessage(`{"a":"b"}`)), Value: graph.Some(json.RawMessage(`{"a":"b"}`)),
		},
		Relationships: []graph.RelationshipView{{Type: "knows", Description: "since school", Node: &graph.NodeRef{EntityKey: "p-2", Kind: "person", Name: "Bo"}}},
	}
	names := []string{
		"Name", "Description", "Content", "Properties", "Type", "StateKey", "TypeKey", "FacetStage", "SourceDocumentID", "Role", "Aliases", "Tags", "Keywords", "Channel", "Author",
		"Payload", "Props", "Value",
	}
	ends, linked := slices.Clone(list), graph.NodeView{Kind: "person", Relationships: []graph.RelationshipView{{Type: "knows", Node: &graph.NodeRef{Kind: "person", Name: "Bo"}}}}
	hostile.Distrust(&ends[0].Node, "Name") // of a believed relationship
	hostile.Distrust(linked.Relationships[0].Node, "Name")
	hostile.Distrust(&list, names...)
	hostile.Distrust(&full, names...)
	node, err := nodeText(&full, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	merge := forgottenItem{Status: "merged", RestorableUntil: new(time.Time), Merge: &graph.Merge{
		Node: graph.NodeView{Node: graph.Node{Name: "Ada"}}, Conflicts: []graph.MergeConflict{{Field: "name", Dropped: json.RawMessage(`"Bo"`)}},
	}}
	hostile.Distrust(&merge, "Name", "Dropped")
	believed, _ := nodeText(&linked, 100_000)
	taken := graph.NodeView{Kind: "person", Node: graph.Node{Name: "Ada"}, Notes: []graph.Note{{Content: "sings"}}, OwnFields: &graph.OwnFields{
		Aliases: graph.Some([]string{"Countess", hostile.Secret}), DoubtedAliases: graph.Some([]string{hostile.Secret}),
	}}
	hostile.Distrust(&taken.Notes, "Content") // which a believed node took over
	merged, _ := nodeText(&taken, 100_000)
	if !strings.Contains(merged, "# Ada (person)") || !strings.Contains(merged, "Countess") {
		t.Errorf("a believed node is quoted: %s", merged)
	}
	for _, text := range []string{edges("Outgoing", list), edges("Outgoing", ends), node, believed, merged, merge.mergeText(), nodesText("person", []graph.NodeView{full}, "", 0)} {
		if line := hostile.Plain(text); line != "" || !strings.Contains(text, hostile.Secret) {
			t.Errorf("%q in %s", line, text)
		}
	}
}
