package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
)

type rememberInput struct {
	Caller
	Shared        bool           `json:"shared,omitempty" doc:"new nodes are for the whole team; default: private to the user"`
	Nodes         []nodeInput    `json:"nodes,omitempty" maxItems:"100"`
	Relationships []relatedInput `json:"relationships,omitempty" maxItems:"200"`
}

// nodeInput is a node in a call; the HTTP API takes more fields.
type nodeInput struct {
	Kind        string                    `json:"kind" enum:"person,concept,entity,project,task,plan,goal,milestone,document,output,risk,decision,requirement,insight" doc:"concept: ideas, beliefs, goals, interests; entity: organisations, places and other things; project to insight: work"`
	EntityKey   string                    `json:"entity_key,omitempty" maxLength:"256" doc:"of a stored node; omit for new ones. A person, concept or entity is also found by its name"`
	Name        graph.Optional[string]    `json:"name,omitzero"`
	Aliases     graph.Optional[[]string]  `json:"aliases,omitzero"`
	Type        graph.Optional[string]    `json:"type,omitzero" doc:"of an entity: organisation, place …"`
	Description graph.Optional[string]    `json:"description,omitzero" doc:"one to three sentences that stay true; replaces the stored one"`
	Note        string                    `json:"note,omitempty" maxLength:"4096" doc:"a detail to add; kept a month unless note_lives says otherwise"`
	NoteLives   string                    `json:"note_lives,omitempty" enum:"week,month,year,forever"`
	IsOwner     graph.Optional[bool]      `json:"is_owner,omitzero" doc:"this person is the user"`
	IsGoal      graph.Optional[bool]      `json:"is_goal,omitzero" doc:"this concept is a goal of the user"`
	Salience    graph.Optional[float64]   `json:"salience,omitzero" doc:"0 to 1, how much it matters; default 0.5"`
	State       graph.Optional[string]    `json:"state,omitzero" doc:"active (default), candidate (not sure), core (part of who the user is) or archived (over)"`
	TTLPolicy   graph.Optional[string]    `json:"ttl_policy,omitzero" doc:"decay (default), keep_forever (with state core: a core belief) or ephemeral"`
	ProjectID   graph.Optional[string]    `json:"project_id,omitzero" doc:"entity key of its project"`
	StateKey    graph.Optional[string]    `json:"state_key,omitzero" doc:"todo, in_progress, completed …"`
	DueAt       graph.Optional[time.Time] `json:"due_at,omitzero" doc:"of a task or milestone"`
	Properties  json.RawMessage           `json:"properties,omitempty" doc:"an object; replaces the stored one"`
}

// relatedInput is a relationship in a call.
type relatedInput struct {
	From        string                    `json:"from" minLength:"1" maxLength:"512" doc:"entity key or name; me: the user"`
	To          string                    `json:"to" minLength:"1" maxLength:"512" doc:"entity key or name; me: the user"`
	Type        string                    `json:"type" minLength:"1" maxLength:"64" doc:"has_relationship_with (person to person), engages_with (person to concept), associated_with (person to entity), relates_to (concept to concept), involves (concept to entity), connected_to (entity to entity), or another word in snake_case"`
	Description graph.Optional[string]    `json:"description,omitzero" doc:"how they relate, in a sentence; shown at the start of conversations"`
	Salience    graph.Optional[float64]   `json:"salience,omitzero" doc:"0 to 1"`
	Attitude    graph.Optional[int64]     `json:"attitude,omitzero" doc:"1 (hostile) to 5 (close)"`
	Proximity   graph.Optional[int64]     `json:"proximity,omitzero" doc:"1 (stranger) to 5 (intimate)"`
	Contradicts bool                      `json:"contradicts,omitempty" doc:"replaces the stored one, which becomes past"`
	ValidTo     graph.Optional[time.Time] `json:"valid_to,omitzero" doc:"over since then"`
}

func (s *Server) addRemember() {
	add(s, tool{"remember", "Store what was learned", writes, guide("remember")},
		contract.Input[rememberInput](), s.remember)
}

// remember stores nodes and relationships, whose ends may be named, in one transaction. Sending a call again changes nothing
// more, except with contradicts: each time that ends the current relationship and adds another.
func (s *Server) remember(ctx context.Context, in *rememberInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if err := in.validate(scope); err != nil {
		return answer{}, err
	}
	if err := s.resolve(ctx, scope, in.ends(scope), false); err != nil {
		return answer{}, err
	}
	result, err := s.write(ctx, scope, &graph.MemoryWrite{Nodes: in.nodes(), Relationships: in.related()})
	if err != nil {
		return answer{}, err
	}
	return in.resultAnswer(&result), nil
}

// ends are the ends of relationships that name neither nodes of the call nor the user.
func (in *rememberInput) ends(scope graph.Scope) []place {
	own := map[string]bool{}
	for i := range in.Nodes {
		own[graph.NameKey(in.Nodes[i].Name.Value)] = true
	}
	var all []place
	for i := range in.Relationships {
		r := &in.Relationships[i]
		for _, end := range []place{{fault.At("from"), &r.From, ""}, {fault.At("to"), &r.To, ""}} {
			if !own[graph.NameKey(*end.value)] && !scope.NamesOwner(*end.value) {
				end.location = end.location.Under(fault.At("relationships").Index(i))
				all = append(all, end)
			}
		}
	}
	return all
}

// validate refuses what the store would take: what an agent heard from somebody is not for the whole team by mistake.
func (in *rememberInput) validate(scope graph.Scope) error {
	f := &fault.List{}
	if len(in.Nodes)+len(in.Relationships) == 0 {
		f.Add(fault.At("nodes"), fault.Required, "is required, or relationships")
	}
	if scope.UserID == "" && !in.Shared {
		f.Add(fault.At("user_id"), fault.Required, "is required, or shared: the key is not bound to a user")
	}
	return f.Err()
}

func (s *Server) write(ctx context.Context, scope graph.Scope, w *graph.MemoryWrite) (graph.MemoryResult, error) {
	return s.Store.Write(ctx, scope, w)
}

func (in *rememberInput) nodes() []graph.NodeWrite {
	nodes := make([]graph.NodeWrite, len(in.Nodes))
	for i := range in.Nodes {
		n := &in.Nodes[i]
		nodes[i] = graph.NodeWrite{
			Kind: n.Kind, EntityKey: n.EntityKey, Name: n.Name, Type: n.Type, Description: n.Description, IsOwner: n.IsOwner, IsGoal: n.IsGoal,
			Salience: n.Salience, State: n.State, TTLPolicy: n.TTLPolicy, Properties: n.Properties,
		}
		if n.Note != "" {
			nodes[i].Notes = []graph.NoteWrite{{Content: n.Note, Lifetime: n.NoteLives}}
		}
		if n.Aliases.Given || n.ProjectID.Given || n.StateKey.Given || n.DueAt.Given {
			nodes[i].OwnFields = &graph.OwnFields{Aliases: n.Aliases, ProjectID: n.ProjectID, StateKey: n.StateKey, DueAt: n.DueAt}
		}
		if in.Shared && n.EntityKey == "" {
			nodes[i].UserID = graph.Null[string]()
		}
	}
	return nodes
}

func (in *rememberInput) related() []graph.RelationshipWrite {
	related := make([]graph.RelationshipWrite, len(in.Relationships))
	for i, r := range in.Relationships {
		related[i] = graph.RelationshipWrite{
			From: r.From, To: r.To, Type: r.Type, Description: r.Description, Salience: r.Salience,
			Attitude: r.Attitude, Proximity: r.Proximity, Contradicts: r.Contradicts, ValidTo: r.ValidTo,
		}
	}
	return related
}

// noteFields are the names of a node's only note in a call, by those in the store.
var noteFields = strings.NewReplacer("notes[0].content", "note", "notes[0].lifetime", "note_lives") //nolint:gochecknoglobals // a constant table

// resultAnswer reports what became of each item. A call of which nothing was stored is wrong.
func (in *rememberInput) resultAnswer(r *graph.MemoryResult) answer {
	var t strings.Builder
	refused, waiting := 0, 0
	line := func(what, key string, status graph.Status, fault *string) {
		if status == graph.Waiting {
			waiting++
		}
		if fmt.Fprintf(&t, "- %s %s", what, status); fault != nil {
			refused++
			fmt.Fprintf(&t, ": %s\n", markup.Inline(noteFields.Replace(*fault)))
			return
		}
		fmt.Fprintf(&t, " [%s]\n", markup.Inline(key))
	}
	for i, n := range r.Nodes {
		line(fmt.Sprintf("nodes[%d] (%s)", i, strings.TrimSpace(in.Nodes[i].Kind+" "+markup.Inline(in.Nodes[i].Name.Value))), n.EntityKey, n.Status, n.Error)
	}
	for i, e := range r.Relationships {
		line(fmt.Sprintf("relationships[%d] (%s)", i, markup.Inline(e.Type)), e.Key, e.Status, e.Error)
	}
	all := len(r.Nodes) + len(r.Relationships)
	head := fmt.Sprintf("Stored %d of %d.\n", all-refused-waiting, all)
	if waiting > 0 {
		head += "What is waiting is not stored before somebody confirms it.\n"
	}
	if refused > 0 {
		head += "What was refused is not stored: correct it and send it again, alone.\n"
	}
	return answer{text: head + t.String(), object: r, wrong: refused == all}
}
