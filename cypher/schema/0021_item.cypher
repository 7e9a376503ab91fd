// Since this version items are among the nodes that are found by their words: memory_words takes the place of node_words.
DROP INDEX node_words IF EXISTS;

CREATE FULLTEXT INDEX memory_words IF NOT EXISTS
FOR (n:Person|Concept|Entity|Project|Task|Plan|Goal|Milestone|Document|Output|Risk|Decision|Requirement|Signal|Insight|SystemEntity|Item|Storyline|Macro)
ON EACH [n.search_scope, n.name, n.canonical_name, n.description, n.type, n.tags, n.notes, n.text, n.content, n.goal, n.outcome, n.rationale, n.next_step_short, n.next_step_long]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
