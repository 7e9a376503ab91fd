package handlers

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
	"kith/internal/contract"
	"kith/memory/chat"
	"kith/memory/system"
	"kith/memory/traverse"
)

// newRegistry returns an empty registry of the schemas of the API.
func newRegistry() huma.Registry {
	registry := contract.NewRegistry("#/components/schemas/", schemaNames)
	contract.Optional[graph.ConversationFocus](registry)
	contract.Optional[chat.Context](registry)
	contract.Optional[chat.ProviderConfig](registry)
	return registry
}

var schemaNames = contract.Names{ //nolint:gochecknoglobals // a constant table
	Prefixes: map[string]string{reflect.TypeFor[traverse.Request]().PkgPath(): "Traverse", reflect.TypeFor[system.Memory]().PkgPath(): "System"},
	Types: map[string]string{
		"chat.Assembled": "TurnPrompt", "chat.Context": "ChatContext", "chat.Path": "ChatPath", "chat.ProviderConfig": "ChatProviderConfig",
		"chat.Ref": "ChatRef", "chat.Subject": "ExplainedSubject", "chat.Tree": "ChatTree", "chat.Turn": "ChatTurn", "chat.TurnLine": "ChatTurnLine",
		"consolidation.Candidate": "ConsolidationCandidate", "consolidation.Page": "ConsolidationPage", "consolidation.Result": "ConsolidationResult",
		"exchange.Counts": "ImportCounts", "exchange.Refusal": "ImportRefusal", "exchange.Report": "ImportReport",
		"explore.Explanation": "ExploreExplanation", "explore.Meta": "ExploreMeta", "explore.Query": "ExploreQuery",
		"explore.Request": "ExploreRequest", "explore.Result": "ExploreResult", "graph.History": "ImportedHistory",
		"handlers.Opened": "OpenedConversation", "handlers.ReadSource": "SourceResult",
		"loader.Focus": "ContextFocus", "loader.Moment": "TemporalMoment", "loader.User": "ContextUser",
		"ontology.Context": "OntologyContext", "ontology.Coverage": "SnapshotCoverage", "ontology.Edge": "OntologyEdge",
		"ontology.Entities": "OntologyEntities", "ontology.Facets": "OntologyFacets", "ontology.Focus": "OntologyFocus",
		"ontology.Metadata": "OntologyMetadata", "ontology.Relationships": "OntologyRelationships", "ontology.Scope": "OntologyScope",
	},
}
