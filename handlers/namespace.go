package handlers

import (
	"context"

	"kith/access/auth"
	"kith/graph"
)

// ListNamespacesInput asks for a page of the namespaces of items.
type ListNamespacesInput struct {
	UserID   string   `query:"user_id" minLength:"1" doc:"default: the user of the key; without one, shared items only"`
	Prefix   []string `query:"prefix,explode" maxItems:"16" doc:"the parts that they begin with, repeated; * is any part"`
	Suffix   []string `query:"suffix,explode" maxItems:"16" doc:"the parts that they end with, repeated; * is any part"`
	MaxDepth int      `query:"max_depth" minimum:"1" maximum:"16" doc:"cut longer ones to so many parts"`
	Limit    int      `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor   string   `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// NamespacePageOutput is a page of namespaces. It may have fewer than the limit, or none, although others follow. Next is null after
// the last.
type NamespacePageOutput struct {
	Body struct {
		Namespaces [][]string `json:"namespaces" doc:"those of the user's own items, then those of shared ones; each once in a page"`
		Next       *string    `json:"next"`
	}
}

func (a *API) listNamespaces(ctx context.Context, in *ListNamespacesInput) (*NamespacePageOutput, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	page, err := a.Nodes.Namespaces(ctx, scope, graph.NamespaceList{
		Prefix: in.Prefix, Suffix: in.Suffix, MaxDepth: in.MaxDepth, Cursor: in.Cursor, Limit: in.Limit,
	})
	if err != nil {
		return nil, located("query", err)
	}
	out := &NamespacePageOutput{}
	out.Body.Namespaces, out.Body.Next = page.Namespaces, stringOrNil(page.Next)
	return out, nil
}
