// Stores the marks of erasures, in which the word now is the moment, and returns how many there are. Requests from before
// the floor may be of a user whose mark has gone.
// mode: write
// scope: server
// params: keys, seq
// returns: saved
MATCH (l:Lease {name: 'erasures'})
SET l.marks = [mark IN $keys | replace(mark, 'now', toString(timestamp()))],
  l.floor = $seq
RETURN size(l.marks) AS saved
