package graph_test

import (
	"crypto/rand"

	"kith/graph"

	"kith/neo"
)

// The statements by which package chat stores trees and turns, which cannot be imported here.
var (
	addTree = neo.Load[neo.None]("chat_tree_create")
	addTurn = neo.Load[neo.None]("chat_turn_create")
)

// tree stores a chat tree of a user with texts, and returns its id.
func (e *env) tree(user string, texts ...string) string {
	e.Helper()
	id, now := rand.Text(), e.Now.UnixMilli()
	p := graph.Properties{"user_id": user, "created_at": now, "updated_at": now, "created_by": user, "pinned": false}
	for i, field := range []string{"name", "system_prompt"}[:len(texts)] {
		p[field] = texts[i]
	}
	e.transact("chat_tree_create", addTree, map[string]any{"id": id, "properties": map[string]any(p)})
	return id
}

// turn stores a chat turn, in a tree of tree's owner, and returns its id.
func (e *env) turn(author, owner, tree, prompt, answer string) string {
	e.Helper()
	id, now := rand.Text(), e.Now.UnixMilli()
	e.transact("chat_turn_create", addTurn, map[string]any{
		"tree_id": tree, "id": id, "parent_id": nil, "now": now, "properties": map[string]any{
			"prompt": prompt, "prompt_size": len(prompt), "answer": answer, "answer_size": len(answer), "provider_id": answer, "refs": "", "prompt_version": "1",
			"status": "complete", "attempt": 1, "created_at": now, "updated_at": now, "created_by": author, "user_id": owner,
		},
	})
	return id
}

func (e *env) transact(name string, q neo.Query[neo.None], params map[string]any) {
	e.Helper()
	params["team_id"] = e.Team
	if err := e.Store.Transaction(e.Context(), name, func(t *graph.Tx) error { return q.Run(t, params) }); err != nil {
		e.Fatal(err)
	}
}
