// Reserved.
DROP INDEX reserved IF EXISTS;
