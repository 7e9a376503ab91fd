// Stores the marks of erasures, replacing the word now by the current time, and returns how many there are. Requests
// from before the floor may be of a user whose mark has been dropped.
// mode: write
// scope: server
// params: keys, seq
// returns: saved
MATCH (l:Lease {name: 'erasures'})
SET l.marks = [mark IN $keys | replace(mark, 'now', toString(timestamp()))],
  l.floor = $seq
RETURN size(l.marks) AS saved
