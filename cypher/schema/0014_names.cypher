// Since this version natural keys compare names in Unicode's NFC, without blanks at their ends, and what a team shares counts
// no mentions by private sources. The store renews what is stored from before (graph/renew.go); no index changes: the one
// below went with 0006.
DROP INDEX connected_to_rank IF EXISTS;
