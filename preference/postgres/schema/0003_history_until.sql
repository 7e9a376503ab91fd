-- Former values are purged by their age, whoever's they are.
CREATE INDEX kith_preference_history_until ON kith_preference_history (until);
