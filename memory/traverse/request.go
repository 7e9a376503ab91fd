package traverse

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"kith/graph"
	"kith/internal/fault"
	"kith/text/tokens"
)

// Bounds of a request.
const (
	MaxHops    = 3
	MaxLength  = 6 // of a path
	MaxPaths   = 10
	MaxSeeds   = 20
	MaxLimit   = 100
	MaxDepth   = 3
	MaxDamping = 0.99 // above it ranks do not converge in time
	maxTypes   = 64
	maxCypher  = 8 << 10
)

// Mode is the way to walk the graph.
type Mode string

// The modes.
const (
	Neighbors Mode = "neighbors"
	Path      Mode = "path"
	PPR       Mode = "ppr"
	Cypher    Mode = "cypher"
)

// Format is the format of an answer.
type Format string

// JSON is the Result; Text is Markdown for a prompt.
const (
	JSON Format = "json"
	Text Format = "text"
)

// The directions of relationships, seen from the node where a walk begins.
const (
	outbound = "outbound"
	inbound  = "inbound"
	both     = "both"
)

// Request says how to walk.
type Request struct {
	UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose memory, with what the team shares; default: the user of the key, or only what the team shares"`
	Mode   Mode   `json:"mode" oneof:"neighbors path ppr cypher" doc:"neighbors: what a node is linked with; path: the shortest ways between two nodes; ppr: what is close to some nodes, by personalised PageRank; cypher: a statement that only reads. Fields of another mode are refused"`

	EntityKey string   `json:"entity_key,omitempty" max:"256" doc:"neighbors, required: of the node"`
	From      string   `json:"from,omitempty" max:"256" doc:"path, required: entity key of the node where it begins"`
	To        string   `json:"to,omitempty" max:"256" doc:"path, required: entity key of the node where it ends; another one than from"`
	SeedNodes []string `json:"seed_nodes,omitempty" max:"20" doc:"ppr, required: 1 to 20 entity keys"`

	Direction                string   `json:"direction,omitempty" oneof:"outbound inbound both" doc:"not for cypher: of the relationships that are followed, outbound (default of neighbors), inbound or both (default of path and ppr)"`
	RelationshipTypes        []string `json:"relationship_types,omitempty" matches:"^[a-z][a-z0-9_]{0,63}$" max:"64" doc:"not for cypher: only these are followed"`
	ExcludeRelationshipTypes []string `json:"exclude_relationship_types,omitempty" matches:"^[a-z][a-z0-9_]{0,63}$" max:"64" doc:"not for cypher: all but these are followed"`
	Kinds                    []string `json:"kinds,omitempty" oneof:"person concept entity source message project task plan goal milestone document output risk decision requirement signal insight system_entity item storyline macro" doc:"neighbors, ppr: only nodes of these kinds are returned"`
	MaxHops                  int      `json:"max_hops,omitempty" min:"1" max:"6" doc:"neighbors: 1 (default) to 3; path: 1 to 6 (default)"`
	MaxDepth                 int      `json:"max_depth,omitempty" min:"1" max:"3" doc:"ppr: how far from the seeds, 1 to 3 (default)"`
	Damping                  float64  `json:"damping,omitempty" max:"0.99" doc:"ppr: how likely a step goes on instead of back to the seeds, above 0 and at most 0.99; default 0.85"`
	TopK                     int      `json:"top_k,omitempty" min:"1" max:"100" doc:"ppr: so many nodes, 1 to 100; default 20"`
	Limit                    int      `json:"limit,omitempty" min:"1" max:"100" doc:"neighbors: nodes of a page, 1 to 100, default 20; path: paths, 1 to 10, default 1"`
	Cursor                   string   `json:"cursor,omitempty" doc:"neighbors: next_cursor of the page before"`
	MaxTokens                int      `json:"max_tokens,omitempty" min:"100" max:"100000" doc:"o200k tokens of the answer, 100 to 100,000; the last rows or paths go first, and message says how many went"`
	Verbose                  bool     `json:"verbose,omitempty" doc:"texts in full; otherwise 200 characters of each"`

	Cypher     string                     `json:"cypher,omitempty" max:"8192" doc:"cypher, required: the statement, at most 8,192 bytes. GET /v1/schema says what there is"`
	Parameters map[string]json.RawMessage `json:"parameters,omitempty" doc:"cypher: of the statement, by their names without $; at most 100"`

	Format Format `json:"format,omitempty" oneof:"json text" doc:"json (default) or text"`

	given map[string]any // the parameters
}

// rejectForeign reports fields that belong to another mode.
func (r *Request) rejectForeign(f *fault.List) {
	given := []struct {
		field string
		is    bool
		modes []Mode
	}{
		{"entity_key", r.EntityKey != "", []Mode{Neighbors}},
		{"from", r.From != "", []Mode{Path}},
		{"to", r.To != "", []Mode{Path}},
		{"seed_nodes", len(r.SeedNodes) > 0, []Mode{PPR}},
		{"direction", r.Direction != "", []Mode{Neighbors, Path, PPR}},
		{"relationship_types", len(r.RelationshipTypes) > 0, []Mode{Neighbors, Path, PPR}},
		{"exclude_relationship_types", len(r.ExcludeRelationshipTypes) > 0, []Mode{Neighbors, Path, PPR}},
		{"kinds", len(r.Kinds) > 0, []Mode{Neighbors, PPR}},
		{"max_hops", r.MaxHops != 0, []Mode{Neighbors, Path}},
		{"max_depth", r.MaxDepth != 0, []Mode{PPR}},
		{"damping", r.Damping != 0, []Mode{PPR}},
		{"top_k", r.TopK != 0, []Mode{PPR}},
		{"limit", r.Limit != 0, []Mode{Neighbors, Path}},
		{"cursor", r.Cursor != "", []Mode{Neighbors}},
		{"cypher", r.Cypher != "", []Mode{Cypher}},
		{"parameters", len(r.Parameters) > 0, []Mode{Cypher}},
	}
	for _, g := range given {
		if g.is && !slices.Contains(g.modes, r.Mode) {
			f.Add(fault.At(g.field), fault.NotAllowed, "is not for mode %s", r.Mode)
		}
	}
}

// Validate checks the request and sets defaults. The error lists every fault with its location.
func (r *Request) Validate() error {
	f := &fault.List{}
	f.OptionalKey(fault.At("user_id"), r.UserID)
	f.OptionalOneOf(fault.At("format"), string(r.Format), string(JSON), string(Text))
	f.OptionalBetween(fault.At("max_tokens"), int64(r.MaxTokens), tokens.Least, tokens.Most)
	if !slices.Contains([]Mode{Neighbors, Path, PPR, Cypher}, r.Mode) {
		f.NotOneOf(fault.At("mode"), string(Neighbors), string(Path), string(PPR), string(Cypher))
		return f.Err()
	}
	r.rejectForeign(f)
	r.validateWalk(f)
	switch r.Mode {
	case Neighbors:
		f.Key(fault.At("entity_key"), r.EntityKey)
		f.OptionalBetween(fault.At("max_hops"), int64(r.MaxHops), 1, MaxHops)
		f.OptionalBetween(fault.At("limit"), int64(r.Limit), 1, MaxLimit)
	case Path:
		f.Key(fault.At("from"), r.From)
		f.Key(fault.At("to"), r.To)
		f.OptionalBetween(fault.At("max_hops"), int64(r.MaxHops), 1, MaxLength)
		f.OptionalBetween(fault.At("limit"), int64(r.Limit), 1, MaxPaths)
		if r.From == r.To && r.From != "" {
			f.Add(fault.At("to"), fault.Contrary, "must be another node than from")
		}
	case PPR:
		r.validatePPR(f)
	case Cypher:
		r.validateCypher(f)
	}
	if err := f.Err(); err != nil {
		return err
	}
	r.setDefaults()
	return nil
}

func (r *Request) validateWalk(f *fault.List) {
	f.OptionalOneOf(fault.At("direction"), r.Direction, outbound, inbound, both)
	checkTypes(f, fault.At("relationship_types"), r.RelationshipTypes)
	checkTypes(f, fault.At("exclude_relationship_types"), r.ExcludeRelationshipTypes)
	checkEach(f, fault.At("kinds"), r.Kinds, len(graph.Kinds), func(f *fault.List, at fault.Path, name string) {
		if _, ok := graph.KindOf(name); !ok {
			f.NotOneOf(at, graph.KindNames())
		}
	})
}

func checkTypes(f *fault.List, place fault.Path, types []string) {
	checkEach(f, place, types, maxTypes, func(f *fault.List, at fault.Path, name string) {
		if !graph.ValidType(name) {
			f.Add(at, fault.Malformed, "must be a relationship type")
		}
	})
}

// checkEach reports a list that is too long, or checks its items.
func checkEach(f *fault.List, place fault.Path, list []string, most int, check func(f *fault.List, at fault.Path, item string)) {
	if len(list) > most {
		f.Add(place, fault.WrongCount, "must be at most %d", most)
		return
	}
	for i, item := range list {
		check(f, place.Index(i), item)
	}
}

func (r *Request) validatePPR(f *fault.List) {
	if len(r.SeedNodes) == 0 {
		f.Add(fault.At("seed_nodes"), fault.WrongCount, "must be 1 to %d entity keys", MaxSeeds)
	}
	checkEach(f, fault.At("seed_nodes"), r.SeedNodes, MaxSeeds, (*fault.List).Key)
	f.OptionalBetween(fault.At("max_depth"), int64(r.MaxDepth), 1, MaxDepth)
	f.OptionalBetween(fault.At("top_k"), int64(r.TopK), 1, MaxLimit)
	if r.Damping != 0 && !(r.Damping > 0 && r.Damping <= MaxDamping) {
		f.Add(fault.At("damping"), fault.OutOfRange, "must be above 0 and at most %v", MaxDamping)
	}
}

func (r *Request) validateCypher(f *fault.List) {
	switch {
	case strings.TrimSpace(r.Cypher) == "":
		f.Add(fault.At("cypher"), fault.Required, "is required: a statement such as MATCH (n:Person) RETURN n.name LIMIT 10")
	case len(r.Cypher) > maxCypher:
		f.Bytes(fault.At("cypher"), len(r.Cypher), maxCypher)
	case !utf8.ValidString(r.Cypher):
		f.NotUTF8(fault.At("cypher"))
	}
	r.given = r.parseParameters(f)
}

// setDefaults fills in omitted fields.
func (r *Request) setDefaults() {
	put := func(n *int, value int) {
		if *n == 0 {
			*n = value
		}
	}
	switch r.Mode {
	case Neighbors:
		put(&r.MaxHops, 1)
		put(&r.Limit, 20)
		if r.Direction == "" {
			r.Direction = outbound
		}
	case Path:
		put(&r.MaxHops, MaxLength)
		put(&r.Limit, 1)
	case PPR:
		put(&r.MaxDepth, MaxDepth)
		put(&r.TopK, 20)
		if r.Damping == 0 {
			r.Damping = 0.85
		}
	}
	if r.Direction == "" && r.Mode != Cypher {
		r.Direction = both
	}
}

// walk returns which relationships are followed.
func (r *Request) walk() Walk {
	return Walk{
		Outgoing: r.Direction != inbound, Incoming: r.Direction != outbound,
		Types: r.RelationshipTypes, Without: r.ExcludeRelationshipTypes, Messages: slices.Contains(r.Kinds, "message"),
	}
}

func (r *Request) kinds() []graph.Kind {
	kinds := make([]graph.Kind, len(r.Kinds))
	for i, name := range r.Kinds {
		kinds[i], _ = graph.KindOf(name)
	}
	return kinds
}
