// Since this version nodes are found by their aliases: memory_texts takes the place of memory_words.
DROP INDEX memory_words IF EXISTS;

CREATE FULLTEXT INDEX memory_texts IF NOT EXISTS
FOR (n:Person|Concept|Entity|Project|Task|Plan|Goal|Milestone|Document|Output|Risk|Decision|Requirement|Signal|Insight|SystemEntity|Item|Storyline|Macro)
ON EACH [n.search_scope, n.name, n.canonical_name, n.aliases, n.description, n.type, n.tags, n.notes, n.text, n.content, n.goal, n.outcome, n.rationale, n.next_step_short, n.next_step_long]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
