package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kith/access/audit"
	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/digest"
	"kith/memory/system"
	"kith/text/markup"
	"kith/text/tokens"
)

// systems reads and writes the knowledge of systems.
type systems interface {
	Systems(ctx context.Context, scope graph.Scope, after string, limit int64) ([]system.System, error)
	SystemMemory(ctx context.Context, scope graph.Scope, system string) (system.Memory, error)
	MergeSystem(ctx context.Context, scope graph.Scope, system string, w *system.Write) (system.Result, error)
}

// How long the answer of get_system is unless the caller says, and how many systems are listed.
const (
	systemTokens  = 2000
	systemsListed = 100
)

type systemInput struct {
	System    string   `json:"system,omitempty" minLength:"1" maxLength:"256" doc:"default: lists the systems"`
	Names     []string `json:"names,omitempty" maxItems:"100" doc:"only these entities and their neighbours"`
	Types     []string `json:"types,omitempty" maxItems:"100" doc:"only entities of these types"`
	Tags      []string `json:"tags,omitempty" maxItems:"100" doc:"only entities with one of these"`
	MaxTokens int      `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 2,000"`
}

type systemWriteInput struct {
	System string `json:"system" minLength:"1" maxLength:"256" doc:"name of the system"`
	digest.SystemWrite
}

// mergeSystemTool is the one tool for which a language model may be asked.
const mergeSystemTool = "merge_system"

func (s *Server) addSystems() {
	add(s, tool{"get_system", "What is known of a software system", reads, guide("get_system")}, contract.Input[systemInput](), s.system)
	add(s, tool{mergeSystemTool, "Add to what is known of a software system", writes, guide(mergeSystemTool)},
		contract.Input[systemWriteInput]().Describe(map[string]string{
			"strict": "", "extract": "instead of both lists: a text, out of which Kith's language model reads them", "entities": "at most 10,000 with relationships",
		}).DescribeWithin("entities", map[string]string{
			"name": "unique in the system", "type": "required for a new entity", "properties": "an object", "tags": "to add",
		}).DescribeWithin("relationships", map[string]string{"type": "free text", "properties": "an object"}), s.mergeSystem)
}

// system answers from what the team knows, whoever asks.
func (s *Server) system(ctx context.Context, in *systemInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, Caller{})
	if err != nil {
		return answer{}, err
	}
	budget := cmp.Or(in.MaxTokens, systemTokens)
	if in.System == "" {
		return s.systems(ctx, scope, budget)
	}
	if err := system.Validate(in.System); err != nil {
		return answer{}, err
	}
	memory, err := s.Systems.SystemMemory(ctx, scope, in.System)
	if err != nil {
		return answer{}, err
	}
	if len(memory.Entities) == 0 {
		return answer{text: "Nothing is known of this system. get_system without system lists those that are known.\n"}, nil
	}
	text, err := loader.SystemText(in.System, memory, loader.SystemRequest{
		Format: loader.CompactFormat, MaxTokens: budget, Names: in.Names, Types: in.Types, Tags: in.Tags,
	})
	return answer{text: string(text)}, err
}

func (s *Server) systems(ctx context.Context, scope graph.Scope, budget int) (answer, error) {
	known, err := s.Systems.Systems(ctx, scope, "", systemsListed)
	if err != nil {
		return answer{}, err
	}
	render := func(n int) string {
		if len(known) == 0 {
			return "No system is known. merge_system adds one.\n"
		}
		var t strings.Builder
		for _, one := range known[:n] {
			fmt.Fprintf(&t, "- %s: %d entities, %d relationships\n", markup.Item(one.System), one.Entities, one.Relationships)
		}
		if n < len(known) || len(known) == systemsListed {
			t.WriteString("\n_There are more._\n")
		}
		return t.String()
	}
	n, _, err := tokens.Fitting(budget, len(known), render)
	return answer{text: render(n)}, err
}

func (s *Server) mergeSystem(ctx context.Context, in *systemWriteInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, Caller{})
	if err != nil {
		return answer{}, err
	}
	merge := s.mergeGiven
	if in.Extract != "" {
		merge = s.mergeRead
	}
	merged, err := merge(ctx, scope, in)
	if err != nil {
		return answer{}, err
	}
	if e := merged.Extraction; e != nil && e.Error != nil {
		return answer{text: "Nothing is stored: the language model read nothing out of the text that can be: " + markup.Inline(*e.Error) + ". Give entities and relationships instead.\n", wrong: true}, nil
	}
	audit.Note(ctx, nil, in.System)
	return mergedSystem(&merged.Result), nil
}

// mergeGiven merges the entities and relationships of a call, within the time that calls without a language model have.
func (s *Server) mergeGiven(ctx context.Context, scope graph.Scope, in *systemWriteInput) (digest.MergedSystem, error) {
	if len(in.Entities)+len(in.Relationships) == 0 {
		return digest.MergedSystem{}, fault.Invalid(fault.At("entities"), fault.Required, "is required, or relationships")
	}
	ctx, cancel := context.WithTimeout(ctx, s.options.Deadline)
	defer cancel()
	result, err := s.Systems.MergeSystem(ctx, scope, in.System, &in.Write)
	return digest.MergedSystem{Result: result}, err
}

// mergeRead merges what the language model reads out of a text. It is given what is known, so the caller must be able to read that.
func (s *Server) mergeRead(ctx context.Context, scope graph.Scope, in *systemWriteInput) (digest.MergedSystem, error) {
	if s.Reader == nil {
		return digest.MergedSystem{}, fault.Invalid(fault.At("extract"), fault.NotAllowed, "needs a language model, and Kith has none: give entities and relationships")
	}
	if !auth.PrincipalOf(ctx).Allows(auth.Read) {
		return digest.MergedSystem{}, &auth.ScopeError{Scope: auth.Read}
	}
	if err := system.Validate(in.System); err != nil {
		return digest.MergedSystem{}, err
	}
	return s.Reader.ExtractSystem(ctx, scope, in.System, &in.SystemWrite)
}

// mergedSystem says what became of a write. What is refused is named in the warnings, with its place.
func mergedSystem(r *system.Result) answer {
	counts := map[graph.Status]int{}
	for _, e := range r.Entities {
		counts[e.Status]++
	}
	for _, l := range r.Relationships {
		counts[l.Status]++
	}
	all, refused := len(r.Entities)+len(r.Relationships), counts[graph.Refused]
	var t strings.Builder
	fmt.Fprintf(&t, "Stored %d of %d: %d added, %d updated, %d unchanged.\n", all-refused, all, counts[system.Added], counts[graph.Updated], counts[graph.Unchanged])
	for i, w := range r.Warnings {
		if i == shownWarnings {
			fmt.Fprintf(&t, "- … and %d more\n", len(r.Warnings)-i)
			break
		}
		t.WriteString("- " + markup.Item(markup.Truncate(w, describedShown*2)) + "\n")
	}
	return answer{text: t.String(), wrong: refused == all && all > 0}
}

// shownWarnings is how many warnings of a write stand in its answer.
const shownWarnings = 30
