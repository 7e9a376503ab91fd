package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/access/auth"
	"kith/graph"
)

// completed is how many values an answer has at most, as the protocol bounds them.
const completed = 100

// complete answers with values of an argument of a prompt or a resource that begin with what is given. What the key may not see is
// not among them.
func (s *Server) complete(ctx context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Deadline)
	defer cancel()
	given := map[string]string{}
	if r.Params.Context != nil {
		given = r.Params.Context.Arguments
	}
	var values []string
	switch argument := r.Params.Argument; argument.Name {
	case "user_id":
		values = s.usersLike(ctx, argument.Value)
	case "focus_kind":
		values = beginning(argument.Value, graph.WorkspaceFocusKinds)
	case "project_id":
		values = s.namedLike(ctx, given["user_id"], "project", "", argument.Value)
	case "focus_id":
		values = s.namedLike(ctx, given["user_id"], given["focus_kind"], given["project_id"], argument.Value)
	case "system":
		values = s.systemsLike(ctx, argument.Value)
	}
	values = append([]string{}, values...) // never null
	more := len(values) > completed
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values[:min(len(values), completed)], HasMore: more}}, nil
}

// beginning are the texts that begin with a text, whatever its case.
func beginning(with string, texts []string) []string {
	var found []string
	for _, text := range texts {
		if text != "" && strings.HasPrefix(strings.ToLower(text), strings.ToLower(with)) {
			found = append(found, text)
		}
	}
	return found
}

// usersCompleted is how many users an answer has at most: each is a look of its own.
const usersCompleted = 20

// usersLike are the users for whom a key may act, and that begin with a text: the user of the key, or those of its team for a key that
// may list them.
func (s *Server) usersLike(ctx context.Context, with string) []string {
	caller := auth.PrincipalOf(ctx)
	switch {
	case caller.UserID != "":
		return beginning(with, []string{caller.UserID})
	case !caller.Allows(auth.Admin):
		return nil
	}
	ids, err := s.Users.UserIDs(ctx, caller.TeamID, with, usersCompleted)
	if err != nil {
		return nil
	}
	return ids
}

// namedLike are the keys of nodes whose key or name begins with a text.
func (s *Server) namedLike(ctx context.Context, user, kindName, project, with string) []string {
	kind, known := graph.KindOf(kindName)
	scope, err := scope(ctx, auth.Read, Caller{user})
	if err != nil || !known {
		return nil
	}
	page, err := s.Store.Nodes(ctx, scope, graph.NodeList{Kind: kind, ProjectID: project, Limit: 1000})
	if err != nil {
		return nil
	}
	var found []string
	for i := range page.Nodes {
		if len(beginning(with, []string{page.Nodes[i].EntityKey, page.Nodes[i].Name})) > 0 {
			found = append(found, page.Nodes[i].EntityKey)
		}
	}
	return found
}

func (s *Server) systemsLike(ctx context.Context, with string) []string {
	scope, err := scope(ctx, auth.Read, Caller{})
	if err != nil {
		return nil
	}
	known, err := s.Systems.Systems(ctx, scope, "", 1000)
	if err != nil {
		return nil
	}
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].System
	}
	return beginning(with, names)
}
