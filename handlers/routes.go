package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"kith/graph"
	"kith/memory/ownkey"
)

// routes is every route of the API.
func (a *API) routes(api huma.API) {
	route(a, api, http.MethodGet, "/v1/context", "get-context", "What an agent should know at the start of a conversation", a.getContext, contextResponse, mayMiss)
	route(a, api, http.MethodGet, "/v1/context/why", "explain-node", "Why a context shows a node, or does not: each rule, what it found, and what would change it", a.whyContext, mayMiss)
	route(a, api, http.MethodGet, "/v1/served", "list-served", "A page of the contexts that were served to a user, with digests", a.listServed)
	route(a, api, http.MethodGet, "/v1/ontology", "get-ontology", "What an agent should know of the workspace in which it works", a.getOntology, ontologyResponse)
	route(a, api, http.MethodPost, "/v1/prompt", "make-prompt", "The messages to send to a language model: guidance, preferences, context snapshot, conversation", a.prompt, mayMiss)
	route(a, api, http.MethodPost, "/v1/conversations", "open-conversation", "Open a conversation and get its context", a.openConversation, openedResponse)
	route(a, api, http.MethodGet, "/v1/conversations", "list-conversations", "A page of a user's conversations, the newest first", a.listConversations)
	route(a, api, http.MethodGet, "/v1/conversations/{id}", "get-conversation", "A conversation with its messages", a.getConversation)
	route(a, api, http.MethodPost, "/v1/conversations/{id}/messages/pop", "pop-messages", "Delete the last messages of an open conversation, and return them", a.popMessages)
	route(a, api, http.MethodPost, "/v1/conversations/{id}/messages", "append-messages", "Append messages to an open conversation", a.appendMessages, large)
	route(a, api, http.MethodPut, "/v1/conversations/{id}/focus", "set-focus", "Have a conversation remember what its user looks at in a workspace", a.setFocus)
	route(a, api, http.MethodPost, "/v1/conversations/{id}/end", "end-conversation", "End a conversation", a.endConversation)
	route(a, api, http.MethodPost, "/v1/explore", "explore", "Find what the memory has about something: by words, meaning and links", a.explore, exploreResponse)
	route(a, api, http.MethodPost, "/v1/traverse", "traverse", "Walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads", a.traverse, traverseResponse)
	route(a, api, http.MethodGet, "/v1/schema", "get-schema", "What Cypher can ask here: kinds, properties, relationship types, examples", a.schema, schemaResponse)
	route(a, api, http.MethodPost, "/v1/memory", "write-memory", "Add and change nodes and relationships in one transaction", a.writeMemory, large)
	route(a, api, http.MethodPost, "/v1/sources", "write-source", "Add or change a conversation, mail, meeting or note", a.writeSource, large, mayMiss, asksModel)
	route(a, api, http.MethodPost, "/v1/sources/{key}/withdraw", "withdraw-source", "Delete a source that was found to be bad, with what rests on it alone; or report that, or undo it", a.withdrawSource)
	a.reviewRoutes(api)
	a.nodeRoutes(api)
	route(a, api, http.MethodGet, "/v1/consolidation", "list-consolidation", "Sources that could be archived, and why", a.consolidationCandidates)
	route(a, api, http.MethodPost, "/v1/consolidation", "consolidate", "Archive sources; their links stay", a.consolidate)
	route(a, api, http.MethodGet, "/v1/duplicates", "list-duplicates", "A page of pairs of nodes that may be one thing, with reasons and a probability; or of those that were refused", a.listDuplicates)
	route(a, api, http.MethodPatch, "/v1/duplicates", "change-duplicates", "Say of pairs of nodes that they are two, or take that back", a.changeDuplicates, mayMiss)
	route(a, api, http.MethodGet, changesPath, "list-changes", "What was committed behind a cursor, in order; or as it is committed, as server-sent events", a.listChanges, changesResponse)
	a.webhookRoutes(api)
	route(a, api, http.MethodGet, "/v1/me", "get-me", "What the caller's key is: team, user, scopes, rate limit and quota", a.me)
	route(a, api, http.MethodGet, "/v1/users", "list-users", "A page of a team's users, with how much each has and when it was last used", a.listUsers)
	route(a, api, http.MethodGet, "/v1/users/{id}/preferences", "get-preferences", "A user's preferences", a.getPreferences)
	route(a, api, http.MethodGet, "/v1/users/{id}/preferences/history", "list-preference-versions", "A page of the values that a user's preferences had and have", a.preferenceHistory)
	route(a, api, http.MethodPut, "/v1/users/{id}/preferences", "put-preferences", "Replace a user's preferences", a.putPreferences)
	route(a, api, http.MethodPut, "/v1/users/{id}/preferences/{key}", "put-preference", "Set one of a user's preferences", a.putPreference)
	route(a, api, http.MethodDelete, "/v1/users/{id}/preferences/{key}", "delete-preference", "Delete one of a user's preferences", a.deletePreference)
	route(a, api, http.MethodGet, "/v1/users/{id}/statements", "list-statements", "A page of what a user said to remember: standing instructions, preferences, facts, plans", a.listStatements)
	route(a, api, http.MethodGet, "/v1/users/{id}/statements/{key}/history", "list-statement-versions", "A page of the versions of a statement of a user", a.statementHistory)
	route(a, api, http.MethodPatch, "/v1/users/{id}/statements", "change-statements", "Confirm or refuse a user's statements, or pause the search for new ones", a.changeStatements)
	route(a, api, http.MethodPatch, "/v1/teams/{id}/statements", "pause-team-statements", "Pause the search for statements in all messages of a team", a.pauseTeam)
	route(a, api, http.MethodGet, "/v1/export", "export", "All that the team has, as NDJSON", a.export, exportResponse)
	route(a, api, http.MethodPost, "/v1/import", "import", "Store an export, or another system's file", a.importMemory, importResponse)
	route(a, api, http.MethodGet, "/v1/imports/{id}", "get-import-progress", "What is stored of an import that is not complete, by its import_id; zeros before its first piece and after its end", a.importProgress)
	a.systemRoutes(api)
	a.chatRoutes(api)
	route(a, api, http.MethodDelete, "/v1/users/{id}", "erase-user", "Erase a user: all that is private to the user, and the user's authorship of what others keep", a.eraseUser)
	route(a, api, http.MethodDelete, "/v1/teams/{id}", "erase-team", "Erase a team with all it has, its keys too", a.eraseTeam)
	route(a, api, http.MethodPost, "/v1/keys", "create-key", "Make an API key", a.createKey, created)
	route(a, api, http.MethodGet, "/v1/keys", "list-keys", "API keys, without their secrets", a.listKeys)
	route(a, api, http.MethodDelete, "/v1/keys/{id}", "revoke-key", "Revoke an API key", a.revokeKey)
	importBody(api)
	a.collectBodyRules(api.OpenAPI())
	describeOperations(api.OpenAPI())
	document, err := json.Marshal(publish(api.OpenAPI()))
	if err != nil {
		panic("handlers: the OpenAPI document cannot be marshalled: " + err.Error())
	}
	a.document = document
	a.page = sync.OnceValue(func() []byte { return pageOf(api.OpenAPI()) })
}

// nodeRoutes adds the routes of nodes and relationships.
func (a *API) nodeRoutes(api huma.API) {
	route(a, api, http.MethodGet, "/v1/nodes/{kind}", "list-nodes", "A page of the nodes of one kind", a.listNodes)
	route(a, api, http.MethodGet, "/v1/namespaces", "list-namespaces", "A page of the namespaces that have items", a.listNamespaces)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}", "get-node", "A node with its notes and strongest relationships", a.getNode)
	route(a, api, http.MethodPatch, "/v1/nodes/{kind}/{key}", "patch-node", "Change what is given of a node", a.patchNode)
	route(a, api, http.MethodDelete, "/v1/nodes/{kind}/{key}", "delete-node", "Delete a node; it can be restored for a while", a.deleteNode)
	route(a, api, http.MethodPost, "/v1/nodes/{kind}/{key}/restore", "restore-node", "Undo the delete or merge of a node, or make a former version the current one", a.restoreNode)
	route(a, api, http.MethodPost, "/v1/nodes/{kind}/{key}/merge", "merge-nodes", "Merge another node into this one; it can be undone for a while", a.mergeNodes)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}/relationships", "list-node-relationships", "A page of a node's relationships", a.nodeRelationships)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}/mentions", "list-node-mentions", "A page of the sources that mention a node, with the place in their messages", a.nodeMentions)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}/history", "list-node-versions", "A page of the versions of a node: what changed, when, and by whom", a.nodeHistory)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}/changes", "list-node-changes", "What changed about a node and its relationships in a period", a.nodeChanges, nodeChangesResponse)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}/linked", "list-linked", "What a node of a project is linked with, by kind", a.linked, linkedResponse)
	route(a, api, http.MethodGet, "/v1/nodes/{kind}/{key}/notes", "list-node-notes", "The notes of a node", a.nodeNotes)
	route(a, api, http.MethodPost, "/v1/nodes/{kind}/{key}/notes", "add-node-note", "Add a note to a node", a.addNodeNote, created)
	route(a, api, http.MethodDelete, "/v1/nodes/{kind}/{key}/notes/{id}", "delete-node-note", "Take a note off a node", a.deleteNodeNote)
	route(a, api, http.MethodPost, "/v1/edges", "link", "Link nodes of a project, all or none; links that are there are skipped", a.link, mayMiss)
	route(a, api, http.MethodDelete, "/v1/edges/{key}", "unlink", "Delete a link; it can be restored for a while", a.deleteRelationship)
	route(a, api, http.MethodGet, "/v1/relationships/{key}", "get-relationship", "A relationship, current or past", a.getRelationship)
	route(a, api, http.MethodDelete, "/v1/relationships/{key}", "delete-relationship", "Delete a relationship; it can be restored for a while", a.deleteRelationship)
	route(a, api, http.MethodPost, "/v1/relationships/{key}/restore", "restore-relationship", "Undo the delete of a relationship, or make a former version the current one", a.restoreRelationship)
	route(a, api, http.MethodGet, "/v1/relationships/{key}/mentions", "list-relationship-mentions", "A page of the sources that mention both ends of a relationship", a.relationshipMentions)
	route(a, api, http.MethodGet, "/v1/relationships/{key}/history", "list-relationship-versions", "A page of the versions of a relationship", a.relationshipHistory)
	route(a, api, http.MethodGet, "/v1/relationships/{key}/notes", "list-relationship-notes", "The notes of a relationship", a.relationshipNotes)
	route(a, api, http.MethodPost, "/v1/relationships/{key}/notes", "add-relationship-note", "Add a note to a relationship", a.addRelationshipNote, created)
	route(a, api, http.MethodDelete, "/v1/relationships/{key}/notes/{id}", "delete-relationship-note", "Take a note off a relationship", a.deleteRelationshipNote)
}

// reviewRoutes adds the routes of what waits for a decision.
func (a *API) reviewRoutes(api huma.API) {
	route(a, api, http.MethodGet, "/v1/reviews", "list-reviews", "A page of the writes whose trust is less than the team wants, the newest first", a.listReviews)
	route(a, api, http.MethodGet, "/v1/reviews/{key}", "get-review", "A write that waits for a decision, or about which one was made", a.getReview)
	route(a, api, http.MethodPatch, "/v1/reviews/{key}", "decide-review", "Confirm or refuse a write that waits, or all of its origin and author", a.decideReview)
	route(a, api, http.MethodGet, "/v1/trust/rules", "list-trust-rules", "What was decided about all writes of an origin and author", a.listTrustRules)
	route(a, api, http.MethodDelete, "/v1/trust/rules", "delete-trust-rule", "Let the writes of an origin and author wait again", a.deleteTrustRule, mayMiss)
	route(a, api, http.MethodGet, "/v1/teams/{id}/trust", "get-team-trust", "The trust below which a team's writes wait for a review", a.teamTrust)
	route(a, api, http.MethodPatch, "/v1/teams/{id}/trust", "set-team-trust", "Set the trust below which a team's writes wait for a review", a.setTeamTrust)
}

// mcpPath is where the tools are.
const mcpPath = "/mcp"

// plain are the routes outside the contract: health, the contract itself, and MCP, which has its own.
func (a *API) plain(engine *gin.Engine) {
	engine.Any(mcpPath, gin.WrapH(a.MCP))
	a.describeResource(engine)
	engine.GET("/livez", livez)
	engine.GET("/readyz", a.readyz)
	a.servePage(engine)
	engine.GET("/docs", showPage(a.page))
	engine.GET("/openapi.json", func(c *gin.Context) { c.Data(http.StatusOK, jsonType, a.document) })
}

const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"

	markdownType = "text/markdown; charset=utf-8"
)

// route registers an operation. Errors of the handler become problems here and nowhere else.
func route[I, O any](a *API, api huma.API, method, path, id, summary string, handle func(context.Context, *I) (*O, error), change ...func(huma.API, *huma.Operation)) {
	operation := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		MaxBodyBytes: -1, BodyReadTimeout: -1, // bounded in the middleware
		Errors: errorsOf(method, path),
	}
	for _, c := range change {
		c(api, &operation)
	}
	huma.Register(api, operation, func(ctx context.Context, in *I) (*O, error) {
		ctx, end := a.options.Operations.Start(ctx, id)
		if err := principal(ctx).MayChange(id); err != nil && method != http.MethodGet {
			end(err)
			return nil, a.problem(ctx, id, err)
		}
		ctx = graph.WithWriter(ctx, graph.Writer{KeyID: principal(ctx).WriterID(), Through: id, Limit: principal(ctx).Limit})
		scope := graph.Scope{TeamID: principal(ctx).TeamID, UserID: principal(ctx).UserID}
		out, err := ownkey.Do(ctx, a.OwnKeys, scope, in, func() (*O, error) { return handle(ctx, in) })
		end(err)
		if err != nil {
			return nil, a.problem(ctx, id, err)
		}
		return out, nil
	})
}

func created(_ huma.API, o *huma.Operation) { o.DefaultStatus = http.StatusCreated }

func mayMiss(_ huma.API, o *huma.Operation) { o.Errors = append(o.Errors, http.StatusNotFound) }

func asksModel(_ huma.API, o *huma.Operation) { o.Errors = append(o.Errors, http.StatusNotImplemented) }

// retryAfter is the Retry-After of a 503, in seconds.
const retryAfter = "2"
