-- Former values are purged by their age, whoever's they are.
DROP INDEX kith_preference_history_team;
CREATE INDEX kith_preference_history_until ON kith_preference_history (until);
