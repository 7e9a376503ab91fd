// The key under which a user's own person was generated goes on to find the person that took over.
CREATE INDEX person_former_key IF NOT EXISTS
FOR (n:Person) ON (n.team_id, n.former_key);
