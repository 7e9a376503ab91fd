// Conversations with a language model: trees of turns, which are not of the memory. user_id is empty where they are the
// whole team's; times are milliseconds since 1970.
CREATE CONSTRAINT chat_tree_id IF NOT EXISTS
FOR (n:ChatTree) REQUIRE (n.team_id, n.id) IS UNIQUE;

CREATE CONSTRAINT chat_turn_id IF NOT EXISTS
FOR (n:ChatTurn) REQUIRE (n.team_id, n.id) IS UNIQUE;

// Trees, the last changed first.
CREATE INDEX chat_tree_order IF NOT EXISTS
FOR (n:ChatTree) ON (n.team_id, n.user_id, n.pinned, n.updated_at, n.id);

// The turns of a tree, in the order in which they came.
CREATE INDEX chat_turn_order IF NOT EXISTS
FOR (n:ChatTurn) ON (n.team_id, n.tree_id, n.seq);

// Generations under way: whose they are, and until when that is believed.
CREATE INDEX chat_turn_holder IF NOT EXISTS
FOR (n:ChatTurn) ON (n.lease_holder);

CREATE INDEX chat_turn_lease IF NOT EXISTS
FOR (n:ChatTurn) ON (n.lease_until);

// All of a team, for its erasure and that of its users.
CREATE INDEX chat_tree_team IF NOT EXISTS
FOR (n:ChatTree) ON (n.team_id);

CREATE INDEX chat_turn_team IF NOT EXISTS
FOR (n:ChatTurn) ON (n.team_id);
