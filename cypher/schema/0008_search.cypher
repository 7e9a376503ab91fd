// Full text. search_scope holds words that say who may see a node or relationship, of which kind it is and of which day:
// every search asks for them inside its index query, so that what others have takes no place among its hits.
CREATE FULLTEXT INDEX message_words IF NOT EXISTS
FOR (n:Message) ON EACH [n.search_scope, n.text, n.near, n.name]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};

CREATE FULLTEXT INDEX source_words IF NOT EXISTS
FOR (n:Source) ON EACH [n.search_scope, n.name, n.description, n.summary, n.keywords, n.tags]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};

CREATE FULLTEXT INDEX node_words IF NOT EXISTS
FOR (n:Person|Concept|Entity|Project|Task|Plan|Goal|Milestone|Document|Output|Risk|Decision|Requirement|Signal|Insight|SystemEntity|Storyline|Macro)
ON EACH [n.search_scope, n.name, n.canonical_name, n.description, n.type, n.tags, n.notes, n.text, n.content, n.goal, n.outcome, n.rationale, n.next_step_short, n.next_step_long]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};

CREATE FULLTEXT INDEX relationship_words IF NOT EXISTS
FOR ()-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to|produced|belongs_to_plan|supports_goal|depends_on|targets_milestone|references|produces|requires|achieved_by|blocks|threatens|mitigates|addresses|addressed_in|documented_in|contains|has_plan|has_task|has_goal|has_document|has_output|has_risk|has_milestone|has_metric|has_requirement|has_source|has_decision|has_context_document|has_part]-()
ON EACH [r.search_scope, r.description, r.relationship_type, r.notes]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};

// Sources by their names, as texts name them.
CREATE INDEX source_name IF NOT EXISTS
FOR (n:Source) ON (n.team_id, n.search_name);
